//go:build cgo

package main

// #define HEDDLE_NO_PROTOTYPES
// #include "heddle.h"
import "C"

import (
	"context"
	"errors"
	"unsafe"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/mem"
)

// still is withWave for functions that a hook of the running wave must not call.
func still(h C.heddle_wave, e **C.heddle_error, f func(w *wave) error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		if w.w.Running() {
			return fail(C.HEDDLE_EBUSY, errors.New("the wave is running: a hook cannot run it, but can stop it or set its pc"))
		}
		return f(w)
	})
}

// halt executes a run and stores why it stopped.
func (w *wave) halt(out *C.heddle_halt, run func(ctx context.Context) (heddle.Halt, error)) error {
	return w.timed(func(ctx context.Context) error {
		if ctx == nil {
			ctx = context.Background()
		}
		why, err := run(ctx)
		if out != nil {
			*out = C.heddle_halt{reason: C.int32_t(why), pc: C.uint64_t(w.w.Bits("pc", 0)), instructions: C.uint64_t(w.w.Counters().Instructions)}
		}
		return err
	})
}

//export heddle_wave_step
func heddle_wave_step(h C.heddle_wave, count C.uint64_t, out *C.heddle_halt, e **C.heddle_error) C.heddle_status {
	return still(h, e, func(w *wave) error {
		return w.halt(out, func(ctx context.Context) (heddle.Halt, error) { return w.w.StepContext(ctx, uint64(count)) })
	})
}

//export heddle_wave_run_to
func heddle_wave_run_to(h C.heddle_wave, pc, count C.uint64_t, out *C.heddle_halt, e **C.heddle_error) C.heddle_status {
	return still(h, e, func(w *wave) error {
		return w.halt(out, func(ctx context.Context) (heddle.Halt, error) { return w.w.RunTo(ctx, uint64(pc), uint64(count)) })
	})
}

//export heddle_wave_print
func heddle_wave_print(h C.heddle_wave, pc C.uint64_t, text *C.char, textSize C.size_t, length, used *C.size_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		room, err := view((*byte)(unsafe.Pointer(text)), textSize, "text")
		if err != nil {
			return err
		}
		s, size, err := w.w.Instruction(uint64(pc))
		if err != nil {
			return fail(C.HEDDLE_ECODE, err)
		}
		if len(room) > 0 {
			room[copy(room[:len(room)-1], s)] = 0
		}
		if length != nil {
			*length = C.size_t(len(s))
		}
		if used != nil {
			*used = C.size_t(size)
		}
		return nil
	})
}

//export heddle_wave_stop
func heddle_wave_stop(h C.heddle_wave) C.heddle_status {
	return guard(nil, func() error {
		w, err := get[*wave](h) // also while a run holds the lock
		if err != nil {
			return err
		}
		w.w.Stop()
		return nil
	})
}

//export heddle_wave_isa
func heddle_wave_isa(h C.heddle_wave, out *C.heddle_isa, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		if out == nil {
			return null("isa")
		}
		return opened(out, w.w.ISA())
	})
}

//export heddle_wave_load
func heddle_wave_load(h C.heddle_wave, address C.uint64_t, code unsafe.Pointer, size C.size_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		data, err := bytesOf(code, size, "code")
		switch {
		case err != nil:
			return err
		case uint64(size) > maxOwn:
			return invalid("code has %d bytes; %d at most are copied: heddle_wave_map_data has it where it is", uint64(size), uint64(maxOwn))
		}
		return w.w.Load(uint64(address), data)
	})
}

//export heddle_wave_load_text
func heddle_wave_load_text(h C.heddle_wave, address C.uint64_t, source *C.char, length C.size_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		src, err := text(source, length, "text")
		if err != nil {
			return err
		}
		return w.w.LoadText(uint64(address), src)
	})
}

// rightsOf converts the rights of memory.
func rightsOf(r C.uint32_t) (mem.Rights, error) {
	if r&^(C.HEDDLE_READ|C.HEDDLE_WRITE|C.HEDDLE_EXECUTE) != 0 {
		return 0, invalid("rights %#x; there are HEDDLE_READ, _WRITE and _EXECUTE", uint32(r))
	}
	return mem.Rights(r), nil
}

//export heddle_wave_map
func heddle_wave_map(h C.heddle_wave, address C.uint64_t, size C.size_t, rights C.uint32_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		r, err := rightsOf(rights)
		switch {
		case err != nil:
			return err
		case size == 0 || uint64(size) > maxOwn:
			return invalid("%d bytes of memory; want 1 to %d, or heddle_wave_map_data", uint64(size), uint64(maxOwn))
		}
		return w.w.Map(uint64(address), int(size), r)
	})
}

//export heddle_wave_map_data
func heddle_wave_map_data(h C.heddle_wave, address C.uint64_t, data unsafe.Pointer, size C.size_t, rights C.uint32_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		r, err := rightsOf(rights)
		if err != nil {
			return err
		}
		host, err := memoryOf(data, size, 0, "data")
		if err != nil {
			return err
		}
		return w.w.MapData(uint64(address), host, r)
	})
}

//export heddle_wave_unmap
func heddle_wave_unmap(h C.heddle_wave, address C.uint64_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error { return w.w.Unmap(uint64(address)) })
}

//export heddle_wave_protect
func heddle_wave_protect(h C.heddle_wave, address C.uint64_t, rights C.uint32_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		r, err := rightsOf(rights)
		if err != nil {
			return err
		}
		return w.w.Protect(uint64(address), r)
	})
}

//export heddle_wave_regions
func heddle_wave_regions(h C.heddle_wave, out **C.heddle_regions, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		return result(out, func(b *block, v *C.heddle_regions) error {
			list := w.w.Regions()
			extents := place[C.heddle_extent](b, len(list))
			for i, x := range list {
				extents[i] = C.heddle_extent{name: b.text(x.Name), address: C.uint64_t(x.Base), size: C.uint64_t(x.Size), rights: C.uint32_t(x.Rights)}
			}
			v.regions, v.count = unsafe.SliceData(extents), C.size_t(len(extents))
			return nil
		})
	})
}

//export heddle_wave_read_memory
func heddle_wave_read_memory(h C.heddle_wave, address C.uint64_t, data unsafe.Pointer, size C.size_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		to, err := bytesOf(data, size, "data")
		if err != nil {
			return err
		}
		return w.w.ReadMemory(uint64(address), to)
	})
}

//export heddle_wave_write_memory
func heddle_wave_write_memory(h C.heddle_wave, address C.uint64_t, data unsafe.Pointer, size C.size_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		from, err := bytesOf(data, size, "data")
		if err != nil {
			return err
		}
		return w.w.WriteMemory(uint64(address), from)
	})
}

//export heddle_wave_flush
func heddle_wave_flush(h C.heddle_wave, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		w.w.Flush()
		return nil
	})
}

// batch calls f for each of several registers with its value.
func (w *wave) batch(regs *C.uint32_t, count C.size_t, values *C.uint64_t, f func(reg C.uint32_t, value []C.uint64_t) error) error {
	ids, err := view(regs, count, "regs")
	if err != nil {
		return err
	}
	list, err := view(values, count, "values")
	for i := 0; err == nil && i < len(ids); i++ {
		err = f(ids[i], list[i:i+1])
	}
	return err
}

//export heddle_wave_read_batch
func heddle_wave_read_batch(h C.heddle_wave, regs *C.uint32_t, lane C.int32_t, count C.size_t, values *C.uint64_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		return w.batch(regs, count, values, func(reg C.uint32_t, value []C.uint64_t) error { return w.read(reg, lane, value) })
	})
}

//export heddle_wave_write_batch
func heddle_wave_write_batch(h C.heddle_wave, regs *C.uint32_t, lane C.int32_t, count C.size_t, values *C.uint64_t, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		return w.batch(regs, count, values, func(reg C.uint32_t, value []C.uint64_t) error { return w.write(reg, lane, value) })
	})
}

//export heddle_wave_save
func heddle_wave_save(h C.heddle_wave, out *C.heddle_saved, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		if out == nil {
			return null("saved")
		}
		return opened(out, w.w.Save())
	})
}

//export heddle_wave_restore
func heddle_wave_restore(h C.heddle_wave, saved C.heddle_saved, e **C.heddle_error) C.heddle_status {
	return withWave(h, e, func(w *wave) error {
		s, err := get[*heddle.Saved](saved)
		if err != nil {
			return err
		}
		return w.w.Restore(s)
	})
}
