/**
 * @file heddle.h
 * @brief heddle for C: GPU machine code without the GPU.
 *
 * The library assembles, decodes, prints and runs code of the instruction sets that heddle_isa_at lists. docs/capi.md shows how it is
 * built and used; `go build -buildmode=c-shared -o libheddle.so ./cmd/libheddle` makes it.
 *
 * @section results Results and errors
 *
 * Every function that can fail returns a ::heddle_status, and what it finds through pointers, which are written to only if the status is
 * ::HEDDLE_OK, or where it is said. The last parameter of most is a place for a ::heddle_error, which says more: where, why, and what would
 * do. It may be NULL. If it is not, *error is NULL after success, and after a failure an error that is the caller's, to be given back by
 * heddle_free. An error does not depend on the thread that met it, or on calls that come later.
 *
 * @section ownership Who owns what
 *
 * - What is opened is known by a handle: a number, never 0, that is never used again for something else. heddle_close ends it. A handle that
 *   is closed, of another kind, or made up is ::HEDDLE_EHANDLE, as is closing twice. Objects do not need those they were made from:
 *   the set of a wave may be closed before the wave. A module that is closed while it runs runs to its end.
 * - What comes back as a pointer, or as a structure that one points to, is one block of memory with all that it points to. It is the caller's, is not
 *   changed by later calls, and goes back by heddle_free, once. Pointers inside it are not freed.
 * - `const char *` results of functions that return them directly live as long as the process.
 * - What the caller passes is read during the call only, memory of waves (::heddle_region) and buffers of launches apart: those are used where
 *   they are, and nothing is copied. Buffers of a launch must stay until heddle_launch returns, regions of a wave until heddle_close of
 *   it has returned ::HEDDLE_OK.
 *
 * @section threads Threads
 *
 * Every function may be called from any thread. Sets (heddle_isa) and modules never change by calls with them, so threads share them
 * freely; launches of one module run beside each other, and share the variables that its code object has. A wave is for one
 * thread at a time: a call with a wave that another call is using does nothing and is ::HEDDLE_EBUSY. Memory that two waves or launches share is
 * not synchronized by heddle, as on a GPU; the program must not access it while one of them runs.
 *
 * While a hook of a wave (heddle_wave_on_instruction and the like) or a function of a device is active, the hook and other threads may call all functions of the wave except those
 * that run or close it: these return ::HEDDLE_EBUSY. A hook must return normally: no longjmp, no C++ exception.
 *
 * The library holds a Go runtime: it has threads of its own, cannot be unloaded by dlclose, and does not survive fork without exec.
 *
 * @section signals Signals
 *
 * When the library is loaded, the Go runtime installs handlers for SIGSEGV, SIGBUS, SIGFPE, SIGPIPE and SIGURG, and forwards signals that are not its own.
 * Any signal may be delivered on a thread of the library, whose stack is small. So the program must install its signal handlers with SA_ONSTACK: without it a
 * signal on a thread of the library may corrupt memory. The alternative stack of these threads has 32 KiB, part of which the runtime uses: a handler should
 * use at most 12 KiB. The runtime frequently sends SIGURG to its own threads to preempt them. A handler of the program for one of these five signals must
 * call the previously installed handler for signals that are not the program's.
 *
 * @section text Text
 *
 * Text is UTF-8. A length of ::HEDDLE_ZERO_TERMINATED means that the text ends before its first zero byte. Names never have a length.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The number of this interface. heddle_abi tells that of the library: they must be equal. It grows with every change that breaks programs
 * that were compiled before. Added functions, and members added at the end of structures that begin with struct_size, leave it as it is.
 */
#define HEDDLE_ABI 2

/** As a length: the text ends before its first zero byte. */
#define HEDDLE_ZERO_TERMINATED ((size_t)-1)

/** As a lane: the value is for all lanes. */
#define HEDDLE_ALL_LANES (-1)

/** As a lane of a ::heddle_port: there is a value for each lane of the wave, in the order of lanes. */
#define HEDDLE_EACH_LANE (-2)

/** What became of a call. */
typedef int32_t heddle_status;
enum {
	HEDDLE_OK = 0,
	HEDDLE_EINVALID = 1,     /**< an argument that cannot be: NULL, a size of 0, a number that is too large */
	HEDDLE_EHANDLE = 2,      /**< a handle or pointer that is not, or not any more, what the function wants */
	HEDDLE_EBUSY = 3,        /**< another call is using the wave, or a hook tried to run or close its own wave */
	HEDDLE_ENOTFOUND = 4,    /**< no set, variant, register, kernel, engine or file of that name */
	HEDDLE_ETEXT = 5,        /**< text that does not assemble: heddle_error.items has all that is wrong */
	HEDDLE_ECODE = 6,        /**< bytes that are no instruction, or no code object */
	HEDDLE_EUNSUPPORTED = 7, /**< it exists, and heddle cannot do it yet */
	HEDDLE_EFAULT = 8,       /**< the guest did something wrong: heddle_error.fault says what */
	HEDDLE_ELIMIT = 9,       /**< the guest met the limit of its instructions; heddle_error.fault says where */
	HEDDLE_ETIMEOUT = 10,    /**< the guest met the limit of its time, likewise */
	HEDDLE_ELAUNCH = 11,     /**< a launch that cannot begin: arguments or grid are not those of the kernel */
	HEDDLE_ESTOPPED = 12,    /**< heddle_stop or heddle_wave_stop has ended it; heddle_error.fault says where */
	HEDDLE_EINTERNAL = 13    /**< a defect of heddle: please report it with the message */
};

/** Handles. 0 is none of any kind. @{ */
typedef uint64_t heddle_isa;    /**< a variant of an instruction set, with stage, dialect and options */
typedef uint64_t heddle_wave;   /**< a program of a few instructions, and one wave to run it on */
typedef uint64_t heddle_module; /**< code that can be launched */
typedef uint64_t heddle_saved;  /**< saved registers and execution state of a wave */
/** @} */

/** Identifies a hook within its wave; never 0. */
typedef uint64_t heddle_hook;

/** Why a guest stopped. */
enum {
	HEDDLE_FAULT_MEMORY = 1,  /**< an access that memory refused: address, access, bytes, segment */
	HEDDLE_FAULT_TRAP = 2,    /**< an instruction that traps, or has no meaning in heddle */
	HEDDLE_FAULT_RANGE = 3,   /**< a register number computed at run time is outside of its file */
	HEDDLE_FAULT_CODE = 4,    /**< the program counter is outside of the code */
	HEDDLE_FAULT_CONTROL = 5, /**< a step of control flow that the stack or the machine does not allow */
	HEDDLE_FAULT_LIMIT = 6,   /**< more instructions than the limit */
	HEDDLE_FAULT_STOPPED = 7, /**< the time is over, or heddle_stop was called */
	HEDDLE_FAULT_BARRIER = 8, /**< a barrier that others of the group will never come to */
	HEDDLE_FAULT_HANDLE = 9   /**< a texture, stream, input or output that there is not */
};

/** A register that an instruction at fault reads, in the lane at fault. */
typedef struct heddle_fault_register {
	const char *name;
	uint64_t value;
} heddle_fault_register;

/** What a guest did wrong, and where. */
typedef struct heddle_fault {
	int32_t kind;            /**< HEDDLE_FAULT_... */
	int32_t lane;            /**< the lowest lane at fault; -1: the wave as a whole */
	uint64_t lanes;          /**< all lanes at fault, bit i for lane i */
	uint64_t pc;             /**< byte address of the instruction: in the file of a code object, else in the code */
	uint64_t address;        /**< of the access, as the lane computed it */
	uint64_t bytes;          /**< of the access; 0: it is none */
	const char *access;      /**< "load", "store", "atomic"; "": it is none */
	const char *segment;     /**< the region or buffer at fault, or the nearest one; "": none */
	const char *instruction; /**< its text; "": there is no code */
	const char *reason;      /**< what was wrong, without the place */
	const char *kernel;      /**< "": a wave by itself */
	uint32_t group[3];       /**< x, y, z */
	uint32_t wave;           /**< in the group */
	size_t register_count;
	const heddle_fault_register *registers; /**< what the operands held */
} heddle_fault;

/** One thing that is wrong with a text, or with bytes. */
typedef struct heddle_diagnostic {
	const char *code;    /**< stable, for programs: "operand", "mnemonic", "truncated" ...; isa.Error of the Go documentation lists them */
	const char *message; /**< one line, without place and hint */
	const char *hint;    /**< what would do, or "" */
	const char *source;  /**< the line at fault, or "" */
	int32_t line;        /**< from 1; 0: bytes */
	int32_t column;      /**< from 1, in bytes */
	uint64_t offset;     /**< of the instruction, in bytes */
} heddle_diagnostic;

/** Why a call failed. */
typedef struct heddle_error {
	heddle_status status;
	const char *message; /**< for people: all of it, with places and hints; may have several lines */
	size_t item_count;
	const heddle_diagnostic *items; /**< of ::HEDDLE_ETEXT and ::HEDDLE_ECODE */
	const heddle_fault *fault;      /**< of ::HEDDLE_EFAULT, _ELIMIT, _ETIMEOUT and _ESTOPPED; else NULL */
} heddle_error;

/** A variant of an instruction set. */
typedef struct heddle_isa_info {
	const char *name;    /**< with which heddle_isa_find finds it: "gcn:gfx8" */
	const char *set;     /**< "gcn" */
	const char *variant; /**< "gfx8" */
	const char *doc;     /**< of the variant */
	const char *stage;   /**< "": code does not depend on the stage */
	uint32_t unit;       /**< instructions are multiples of so many bytes */
	uint32_t longest;    /**< bytes of the longest instruction, literals included */
	uint32_t lanes;      /**< of a wave of heddle_wave_new */
	size_t alias_count;
	const char *const *aliases; /**< other names of the variant: "gfx803", "fiji" */
	size_t stage_count;
	const char *const *stages; /**< that heddle_isa_with takes */
	size_t dialect_count;
	const char *const *dialects;
	size_t option_count;
	const char *const *options; /**< "name=value" of each, as it is set */
} heddle_isa_info;

/** What heddle_isa_with changes. NULL leaves the variant as it is, and all else at its default. */
typedef struct heddle_isa_config {
	size_t struct_size; /**< sizeof(heddle_isa_config) */
	const char *variant;
	const char *stage;
	const char *dialect; /**< of the text */
	size_t option_count;
	const char *const *options; /**< "name=value" */
} heddle_isa_config;

/** What an instruction does with an operand. */
enum { HEDDLE_ROLE_NONE = 0, HEDDLE_ROLE_READ = 1, HEDDLE_ROLE_WRITTEN = 2, HEDDLE_ROLE_READ_WRITTEN = 3 };

/** An operand or modifier of an instruction. */
typedef struct heddle_operand {
	const char *name; /**< in the encoding: "src0" */
	const char *text; /**< as the instruction has it; "": it says nothing there */
	uint64_t value;   /**< as encoded */
	uint32_t bits;    /**< of the value that it stands for; 0: it is none */
	uint8_t role;     /**< HEDDLE_ROLE_... */
	uint8_t modifier; /**< 1: it stands beside the operands, or nowhere */
	uint8_t reserved[2];
} heddle_operand;

/** One instruction of those that issue together. */
typedef struct heddle_part {
	const char *mnemonic;
	const char *encoding; /**< name of the layout */
	const char *doc;      /**< one line */
	const char *kind;     /**< what it is in its group: "group header", "destination map"; "": sets without groups */
	uint64_t opcode;
	uint32_t size; /**< bytes, literals included */
	uint32_t reserved;
	size_t operand_count;
	const heddle_operand *operands; /**< as the row of the table lists them */
} heddle_part;

/** A decoded instruction, or group of instructions that issue together. */
typedef struct heddle_instruction {
	uint64_t address;
	uint32_t size; /**< bytes, padding of a group included */
	uint32_t reserved;
	const char *text; /**< as the disassembler writes it; branch targets as they are encoded */
	size_t part_count;
	const heddle_part *parts; /**< one, but for sets whose instructions issue in groups */
	size_t read_count;
	/**
	 * Registers read, by the names that heddle_wave_register takes: operands first, then implicit state: "exec", "mode" (GCN: the instruction uses the
	 * rounding, denormal, DX10_CLAMP or IEEE fields), "pc", "stack" (Tesla's control stack). Internal state without a register keeps its table name.
	 */
	const char *const *reads;
	size_t write_count;
	const char *const *writes; /**< registers written */
} heddle_instruction;

/** An entry of heddle_decode_many. */
typedef struct heddle_entry {
	uint64_t offset;      /**< of its first byte in the code */
	const char *mnemonic; /**< of its first part, of Rogue the header of the group; lives as long as the process; NULL: no instruction */
	uint32_t size;        /**< bytes to the next entry */
	uint32_t parts;       /**< 0: no instruction */
	size_t text;          /**< where its text begins in the caller's buffer; zero-terminated */
	size_t text_length;   /**< without the zero; of bytes that are no instruction the reason */
} heddle_entry;

/** A label of an assembled text. */
typedef struct heddle_label {
	const char *name;
	uint64_t address;
} heddle_label;

/** An assembled text. */
typedef struct heddle_assembly {
	const uint8_t *code;
	size_t size;
	uint64_t base; /**< address of the first byte */
	size_t label_count;
	const heddle_label *labels; /**< by address */
} heddle_assembly;

/** The guest must not write to a region or buffer: a store there is a fault, and the host's bytes may be constant. */
#define HEDDLE_READ_ONLY 1u

/**
 * The caller's memory as a wave finds it. Guest and host see the same bytes. The host's address and the guest's must be equal modulo 8, as they are
 * for what malloc gives and guest addresses that are multiples of 8.
 */
typedef struct heddle_region {
	const char *name; /**< for messages; NULL: by number */
	uint64_t address; /**< of the first byte for the guest; of group memory it is 0 */
	void *data;
	size_t size;
	uint32_t flags; /**< ::HEDDLE_READ_ONLY */
	uint32_t reserved;
} heddle_region;

/** How a wave begins and runs. Members that are 0 have their default. */
typedef struct heddle_wave_options {
	size_t struct_size; /**< sizeof(heddle_wave_options) */
	const char *engine; /**< "reference", "portable" ...; NULL: the fastest for a few instructions */
	uint64_t steps;     /**< limit of the instructions of a run; 0: a million */
	uint32_t timeout;   /**< limit of the time of a run in milliseconds; 0: none */
	uint32_t lanes;     /**< how many run; 0: all of the wave */
	size_t region_count;
	const heddle_region *regions; /**< global memory */
	heddle_region group;          /**< memory of the work-group (local, shared), from address 0; size 0: none */
} heddle_wave_options;

/** A register of a wave. */
typedef struct heddle_register {
	uint32_t id;      /**< for calls with this wave */
	uint32_t bits;    /**< of a value: 1 to 64 */
	uint32_t lanes;   /**< values that it has: one for each lane of the wave, or 1 */
	uint32_t per_lane; /**< 1: one for each lane; 0: one for the wave, and calls ignore the lane */
} heddle_register;

/** What heddle_wave_run_many writes to a register before each run, or reads from it after each run. */
typedef struct heddle_port {
	uint32_t reg;     /**< heddle_register.id */
	int32_t lane;     /**< a lane; ::HEDDLE_EACH_LANE; of an input also ::HEDDLE_ALL_LANES */
	uint64_t *values; /**< those of state i begin at values[i * stride] */
	size_t stride;
} heddle_port;

/** Access rights of the guest to a memory region. heddle_wave_read_memory and heddle_wave_write_memory ignore them. */
enum { HEDDLE_READ = 1, HEDDLE_WRITE = 2, HEDDLE_EXECUTE = 4 };

/** Why heddle_wave_step or heddle_wave_run_to returned. */
enum {
	HEDDLE_HALT_FAULT = 0, /**< the instruction at pc faulted: see the error */
	HEDDLE_HALT_STEPS = 1, /**< the requested number of instructions has run */
	HEDDLE_HALT_PC = 2,    /**< the wave has reached the pc given to heddle_wave_run_to */
	HEDDLE_HALT_END = 3,   /**< the wave has ended: no lane is live */
	HEDDLE_HALT_TEXT = 4,  /**< pc is at the end of the program of heddle_wave_new, and no code follows */
	HEDDLE_HALT_STOP = 5   /**< heddle_wave_stop was called */
};

/** Why and where a run stopped. */
typedef struct heddle_halt {
	int32_t reason; /**< HEDDLE_HALT_... */
	uint32_t reserved;
	uint64_t pc;           /**< of the next instruction; undefined after ::HEDDLE_HALT_END */
	uint64_t instructions; /**< completed; a faulting instruction does not count */
} heddle_halt;

/** A region of memory of a wave. */
typedef struct heddle_extent {
	const char *name; /**< in faults */
	uint64_t address;
	uint64_t size;   /**< bytes */
	uint32_t rights; /**< HEDDLE_READ, HEDDLE_WRITE, HEDDLE_EXECUTE */
	uint32_t reserved;
} heddle_extent;

/** The regions of global memory of a wave. */
typedef struct heddle_regions {
	size_t count;
	const heddle_extent *regions; /**< by address */
} heddle_regions;

/** Kinds of access. An atomic is reported as a load and a store. */
enum {
	HEDDLE_ACCESS_LOAD = 1,
	HEDDLE_ACCESS_STORE = 2,
	HEDDLE_ACCESS_ATOMIC_LOAD = 3,
	HEDDLE_ACCESS_ATOMIC_STORE = 4,
	HEDDLE_ACCESS_TEXEL = 5,    /**< a load of a texel, or a block of texels, by a texture unit or an image instruction */
	HEDDLE_ACCESS_ATTRIBUTE = 6 /**< a load of an element of an attribute stream */
};

/** An access of one lane to memory. */
typedef struct heddle_access {
	int32_t kind;           /**< HEDDLE_ACCESS_... */
	int32_t lane;           /**< -1: of the wave as a whole */
	uint64_t pc;            /**< of the instruction */
	uint64_t address;       /**< as the lane computed it */
	uint64_t space_address; /**< within `space`; differs from address for flat accesses to group memory */
	const char *space;      /**< "global", "group", "const" ... */
	uint64_t size;          /**< bytes */
	uint64_t value;         /**< the first eight bytes as a number */
	const uint8_t *data;    /**< `size` bytes: the loaded value, or the value about to be stored */
} heddle_access;

/**
 * Called for a load from a device range: fills the size bytes of data, which are valid during the call. offset is from the first address of the range.
 */
typedef void (*heddle_device_read)(heddle_wave wave, uint64_t offset, void *data, size_t size, void *user);

/** Called for a store to a device range: data are the size bytes stored, valid during the call. */
typedef void (*heddle_device_write)(heddle_wave wave, uint64_t offset, const void *data, size_t size, void *user);

/** Called before an instruction runs. If the hook sets "pc", execution continues there and the instruction is skipped. */
typedef void (*heddle_instruction_hook)(heddle_wave wave, uint64_t pc, void *user);

/** Called before the first instruction of a block, with the number of its instructions. */
typedef void (*heddle_block_hook)(heddle_wave wave, uint64_t pc, uint32_t instructions, void *user);

/** Called during an access. The hook may read registers and memory and stop the wave, but must not change them. */
typedef void (*heddle_access_hook)(heddle_wave wave, const heddle_access *access, void *user);

/** Called when an instruction faults, before it has any effect. Nonzero: execution continues at the current pc, so that the instruction is retried. */
typedef int32_t (*heddle_fault_hook)(heddle_wave wave, const heddle_fault *fault, void *user);

/** What active lanes have done in an address space. An atomic reads and writes. */
typedef struct heddle_traffic {
	uint64_t bytes_read;
	uint64_t bytes_written;
	uint64_t atomics; /**< each lane counts */
} heddle_traffic;

/** What a run or launch has done. Flat addresses count in the space that they reach; texels are not counted. */
typedef struct heddle_counters {
	uint64_t instructions;   /**< of the guest, once a wave */
	heddle_traffic global;   /**< memory that all work-groups share, and attributes */
	heddle_traffic group;    /**< memory of a work-group */
	heddle_traffic per_lane; /**< private memory */
	heddle_traffic constant;
	uint64_t barriers;       /**< once a wave */
	uint64_t approximate;   /**< 1: counted nearly, since heddle_launch_options.exact was 0 */
} heddle_counters;

/** What a descriptor would say of a program. Members that are 0 have their default. */
typedef struct heddle_program_options {
	size_t struct_size; /**< sizeof(heddle_program_options) */
	const char *name;   /**< for messages, and of its kernel; NULL: "program" */
	const char *abi;    /**< of Tesla: the compiler, "cuda" or "mesa"; NULL: cuda */
	uint64_t base;      /**< address of the first byte of code; of text a .base directive wins */
	uint32_t group_bytes;   /**< memory that a work-group shares; of Tesla that of s[] after the parameters */
	uint32_t private_bytes; /**< memory of each work-item: scratch, l[], thread memory */
} heddle_program_options;

/** Kinds of arguments of a kernel. */
enum {
	HEDDLE_ARG_NULL = 0,   /**< the null pointer */
	HEDDLE_ARG_BUFFER = 1, /**< the caller's memory: data, size */
	HEDDLE_ARG_VALUE = 2,  /**< a value as it lies in memory: data, size; of code without metadata aligned to its size */
	HEDDLE_ARG_LOCAL = 3   /**< the place of so many bytes of local memory: size */
};

/** An argument of a launch. */
typedef struct heddle_arg {
	uint32_t kind;  /**< HEDDLE_ARG_... */
	uint32_t flags; /**< of a buffer ::HEDDLE_READ_ONLY */
	void *data;     /**< a buffer or value. The same buffer may be given twice; buffers must not overlap in part. */
	size_t size;    /**< bytes */
} heddle_arg;

/** An argument as a kernel declares it. */
typedef struct heddle_kernel_arg {
	const char *name; /**< "": the file does not say */
	const char *type; /**< in the source: "float*"; "": the file does not say */
	uint32_t kind;    /**< HEDDLE_ARG_BUFFER, _VALUE or _LOCAL */
	uint32_t size;    /**< bytes of a value, and of an address */
} heddle_kernel_arg;

/** A kernel of a module. */
typedef struct heddle_kernel {
	const char *name;
	uint32_t block[3];    /**< the only size of groups that it was compiled for; 0, 0, 0: any */
	uint32_t group_bytes; /**< of local memory, arguments apart */
	uint32_t described;   /**< 1: args is what it takes; 0: the file does not say */
	uint32_t reserved;
	size_t arg_count;
	const heddle_kernel_arg *args;
} heddle_kernel;

/** All kernels of a module. */
typedef struct heddle_kernels {
	size_t count;
	const heddle_kernel *kernels;
} heddle_kernels;

/** Takes what a kernel prints, once its launch has ended, in the thread that launched it. */
typedef void (*heddle_print_function)(void *user, const char *text, size_t length);

/** How a kernel is launched. Members that are 0 have their default. */
typedef struct heddle_launch_options {
	size_t struct_size; /**< sizeof(heddle_launch_options) */
	const char *kernel; /**< NULL: the only one */
	const char *engine; /**< "jit", "portable" or "reference"; NULL: the fastest here */
	uint32_t grid[3];   /**< work-items by axis x, y, z; 0 counts as 1, but for x. The last groups of an axis may be short. */
	uint32_t block[3];  /**< work-items of a group; all 0: as the kernel was compiled for */
	uint64_t offset[3]; /**< added to global ids */
	uint64_t steps;     /**< limit of the instructions of a wave */
	uint64_t total;     /**< limit of the instructions of all waves */
	uint64_t memory;    /**< limit of guest memory and state of waves in bytes */
	uint32_t timeout;   /**< limit of the time in milliseconds; 0: none */
	uint32_t workers;   /**< threads at most; 0: as many as there are processors */
	uint32_t exact;     /**< 1: counters are exact, even if that is slower */
	uint32_t relaxed;   /**< 1: groups in any order, even if results may depend on it */
	heddle_print_function print; /**< NULL: what the kernel prints is discarded */
	void *user;                  /**< for print */
} heddle_launch_options;

/** What a launch has done. */
typedef struct heddle_launch_result {
	heddle_counters counters;
	uint64_t groups;      /**< run to their end */
	uint64_t waves;       /**< begun */
	uint64_t nanoseconds;
	uint32_t workers;
	uint32_t serial;      /**< 1: groups ran in order on one thread, since results depend on their order */
} heddle_launch_result;

#ifndef HEDDLE_NO_PROTOTYPES

/** The library's ::HEDDLE_ABI. */
uint32_t heddle_abi(void);

/** The library's version, for people. */
const char *heddle_version(void);

/** The name of a status: "HEDDLE_EFAULT"; "?" of a number that is none. */
const char *heddle_status_name(heddle_status status);

/**
 * Gives back what a function has returned. NULL is nothing. A pointer that is not the library's, or was given back already, is
 * ::HEDDLE_EHANDLE, and nothing happens, as long as the library has not given the same address to another result since.
 */
heddle_status heddle_free(const void *block);

/** Closes a set, wave, module or saved state. A wave that is running or in use by another thread stays open: ::HEDDLE_EBUSY. */
heddle_status heddle_close(uint64_t handle);

/** How many objects are open and how many blocks have not been given back, for tests that look for leaks. Either may be NULL. */
void heddle_live(size_t *handles, size_t *blocks);

/** How many variants of instruction sets there are. */
size_t heddle_isa_count(void);

/** Opens a variant by its number, from 0. */
heddle_status heddle_isa_at(size_t index, heddle_isa *isa, heddle_error **error);

/** Opens a variant by name: "gcn", "gcn:gfx8", "attila:sim", "gfx803". Of a set alone it is the first. Case does not matter. */
heddle_status heddle_isa_find(const char *name, heddle_isa *isa, heddle_error **error);

/** Opens the set with another variant, stage, dialect or options. */
heddle_status heddle_isa_with(heddle_isa isa, const heddle_isa_config *config, heddle_isa *changed, heddle_error **error);

/** Tells what a set is. */
heddle_status heddle_isa_describe(heddle_isa isa, heddle_isa_info **info, heddle_error **error);

/** Decodes the instruction, or group, at the start of code. It lies at that address, from which branches count. */
heddle_status heddle_decode(heddle_isa isa, const void *code, size_t size, uint64_t address, heddle_instruction **instruction,
	heddle_error **error);

/**
 * Decodes all of code into the caller's arrays, without allocating. Bytes that are no instruction are entries too, of heddle_isa_info.unit
 * bytes. It ends where code, entries or text do: *used tells how many bytes of code the *count entries stand for, and the next call goes on
 * there. Less than all of code with a *count of 0 is ::HEDDLE_EINVALID: there is no room for one entry. text may be NULL with a text_size
 * of 0; then nothing is printed.
 */
heddle_status heddle_decode_many(heddle_isa isa, const void *code, size_t size, uint64_t address, heddle_entry *entries, size_t capacity,
	char *text, size_t text_size, size_t *count, size_t *used, heddle_error **error);

/**
 * Prints the instruction, or group, at the start of code into the caller's buffer, as snprintf does: the text is cut and zero-terminated if
 * text_size is not 0, and *length is what it needs without the zero. *used is the instruction's size in bytes. Beside ::HEDDLE_ECODE *used is
 * how far on the next instruction may begin. length and used may be NULL.
 */
heddle_status heddle_print(heddle_isa isa, const void *code, size_t size, uint64_t address, char *text, size_t text_size, size_t *length,
	size_t *used, heddle_error **error);

/** Lists code as a file that heddle_assemble turns into the same bytes, whatever they are. The text is zero-terminated. */
heddle_status heddle_disassemble(heddle_isa isa, const void *code, size_t size, uint64_t base, char **text, heddle_error **error);

/** Assembles a file: instructions, labels, directives, expressions. base is the address of its first byte; a .base directive wins. */
heddle_status heddle_assemble(heddle_isa isa, const char *text, size_t length, uint64_t base, heddle_assembly **assembly,
	heddle_error **error);

/** Explains an instruction, given as text, as bytes in hexadecimal or as a mnemonic: bits, operands, meaning, sources. */
heddle_status heddle_explain(heddle_isa isa, const char *what, char **page, heddle_error **error);

/**
 * Creates a wave with a program: instructions and labels, separated by line ends or semicolons. A statement may be an instruction as hexadecimal bytes; bytes
 * that do not decode are ::HEDDLE_ETEXT. The program is at address 0. Registers are 0, or what programs of the set expect. options may be NULL. If program is
 * NULL and length 0, the wave has no program: load or map code, then set "pc".
 */
heddle_status heddle_wave_new(heddle_isa isa, const char *program, size_t length, const heddle_wave_options *options, heddle_wave *wave,
	heddle_error **error);

/**
 * Finds a register of at most 64 bits by its name in the set: "v0", "v[2:3]", "vcc", "$r5", "i0.x"; of GCN also "mode", "status" and "trapsts". Every set
 * also has "pc", the next address of the running lanes; "exec", the running lanes; "live", the lanes that have not ended (read-only); "lane_pc", the
 * next address of each lane (writable on Valhall, else read-only); Tesla has "stack_depth", the entries of the control stack (read-only). Writing "pc"
 * of a wave that has ended restarts it with all its initial lanes.
 */
heddle_status heddle_wave_register(heddle_wave wave, const char *name, heddle_register *reg, heddle_error **error);

/** Reads a register in count lanes from one on, as bit patterns. For a register of the wave the lane is ignored, and count is 1. */
heddle_status heddle_wave_read(heddle_wave wave, uint32_t reg, int32_t lane, size_t count, uint64_t *values, heddle_error **error);

/** Writes a register in count lanes from one on. With ::HEDDLE_ALL_LANES count is 1, and the value is for all. */
heddle_status heddle_wave_write(heddle_wave wave, uint32_t reg, int32_t lane, size_t count, const uint64_t *values, heddle_error **error);

/** Reads a register by name in one lane. */
heddle_status heddle_wave_get(heddle_wave wave, const char *name, int32_t lane, uint64_t *value, heddle_error **error);

/** Writes a register by name in one lane, or in ::HEDDLE_ALL_LANES. */
heddle_status heddle_wave_set(heddle_wave wave, const char *name, int32_t lane, uint64_t value, heddle_error **error);

/**
 * Runs the program from its first instruction to where its text ends, or the wave does. What registers and memory hold stays for the next
 * run. After a fault they hold what they held before the instruction at fault.
 */
heddle_status heddle_wave_run(heddle_wave wave, heddle_error **error);

/**
 * Runs the program count times, each time on other values: before run i the inputs are written, after it the outputs are read. What is no input
 * holds what the run before has left. A fault ends it. *done, which may be NULL, is how many runs have come to their end.
 */
heddle_status heddle_wave_run_many(heddle_wave wave, size_t count, const heddle_port *inputs, size_t input_count,
	const heddle_port *outputs, size_t output_count, size_t *done, heddle_error **error);

/** Reads one lane of several registers: values[i] is that of regs[i]. */
heddle_status heddle_wave_read_batch(heddle_wave wave, const uint32_t *regs, int32_t lane, size_t count, uint64_t *values, heddle_error **error);

/** Writes one lane of several registers, or all lanes with ::HEDDLE_ALL_LANES. After an error, registers before the invalid one have been written. */
heddle_status heddle_wave_write_batch(heddle_wave wave, const uint32_t *regs, int32_t lane, size_t count, const uint64_t *values,
	heddle_error **error);

/** Opens the instruction set of a wave. */
heddle_status heddle_wave_isa(heddle_wave wave, heddle_isa *isa, heddle_error **error);

/**
 * Runs count instructions from the current pc, or fewer if the wave halts earlier. *halt, which may be NULL, is written after faults too.
 * heddle_wave_options.timeout applies, heddle_wave_options.steps does not.
 */
heddle_status heddle_wave_step(heddle_wave wave, uint64_t count, heddle_halt *halt, heddle_error **error);

/**
 * Runs from the current pc until pc is reached; at once if it already is. If count is not 0, it runs at most count instructions; if it is 0, exceeding
 * heddle_wave_options.steps is ::HEDDLE_ELIMIT.
 */
heddle_status heddle_wave_run_to(heddle_wave wave, uint64_t pc, uint64_t count, heddle_halt *halt, heddle_error **error);

/**
 * Prints the instruction, or group, at an address of the wave's code into the caller's buffer, as heddle_print does. *used is its size in bytes. length and used
 * may be NULL. ::HEDDLE_ECODE: there is no instruction.
 */
heddle_status heddle_wave_print(heddle_wave wave, uint64_t pc, char *text, size_t text_size, size_t *length, size_t *used, heddle_error **error);

/** Stops the current run of a wave before its next instruction. Any thread may call it, and hooks. It does not affect later runs. */
heddle_status heddle_wave_stop(heddle_wave wave);

/**
 * Copies machine code, at most 2 GiB, to an address of global memory, as a new region with HEDDLE_READ and HEDDLE_EXECUTE. It may be called several times.
 */
heddle_status heddle_wave_load(heddle_wave wave, uint64_t address, const void *code, size_t size, heddle_error **error);

/** Assembles a program, in the syntax of heddle_wave_new, for an address, and loads it. A .base directive overrides address. */
heddle_status heddle_wave_load_text(heddle_wave wave, uint64_t address, const char *text, size_t length, heddle_error **error);

/**
 * Maps size zero bytes, at most 2 GiB, as a new region of global memory with rights of HEDDLE_READ, HEDDLE_WRITE and HEDDLE_EXECUTE. Regions must not
 * overlap. A guest access must lie within one region.
 */
heddle_status heddle_wave_map(heddle_wave wave, uint64_t address, size_t size, uint32_t rights, heddle_error **error);

/**
 * Maps the caller's memory as a new region of global memory. Guest and host share the bytes; their addresses must be equal modulo 8. The memory must stay
 * valid until it is unmapped or heddle_close of the wave has returned ::HEDDLE_OK. After changing code there, call heddle_wave_flush.
 */
heddle_status heddle_wave_map_data(heddle_wave wave, uint64_t address, void *data, size_t size, uint32_t rights, heddle_error **error);

/**
 * Maps size bytes of global memory as a device range, like memory-mapped registers: for each lane's access, lowest lane first, read fills the bytes, or write
 * takes them. An access must lie within the range. An atomic is a read and a write. If read is NULL, loads and atomics fault; if write is NULL, stores and
 * atomics; both cannot be NULL. No function is called for an instruction that faults. Textures and code cannot be in a device range.
 *
 * The functions may read and write registers, which are as before the instruction, read and write memory, which the lanes after this one find, and stop the
 * wave after the instruction; they cannot map memory or run the wave. A hook of heddle_wave_on_load is called after read, with its value, one of
 * heddle_wave_on_store before write, and both after an atomic.
 */
heddle_status heddle_wave_map_device(heddle_wave wave, uint64_t address, uint64_t size, heddle_device_read read, heddle_device_write write, void *user,
	heddle_error **error);

/** Unmaps the region, or device range, that begins at an address. */
heddle_status heddle_wave_unmap(heddle_wave wave, uint64_t address, heddle_error **error);

/** Changes the rights of the region that begins at an address. */
heddle_status heddle_wave_protect(heddle_wave wave, uint64_t address, uint32_t rights, heddle_error **error);

/** Lists the regions and device ranges of global memory. The program of heddle_wave_new is not in a region. */
heddle_status heddle_wave_regions(heddle_wave wave, heddle_regions **regions, heddle_error **error);

/** Reads bytes of global memory, regardless of rights. They may span adjacent regions, but no device range. */
heddle_status heddle_wave_read_memory(heddle_wave wave, uint64_t address, void *data, size_t size, heddle_error **error);

/**
 * Writes bytes of global memory, regardless of rights, except to the caller's memory mapped without HEDDLE_WRITE. Nothing is written if there is an error.
 * Changed code takes effect with the next instruction.
 */
heddle_status heddle_wave_write_memory(heddle_wave wave, uint64_t address, const void *data, size_t size, heddle_error **error);

/** Discards decoded code, after the caller has changed code in memory of heddle_wave_map_data. */
heddle_status heddle_wave_flush(heddle_wave wave, heddle_error **error);

/**
 * Adds a hook that is called before each instruction at the addresses `from` to `to`, inclusive. A hook may change registers and memory, map memory, add and
 * remove hooks and stop the wave. If it sets "pc", execution continues there, and that counts as one instruction for heddle_wave_step, heddle_wave_run_to and
 * heddle_wave_options.steps; heddle_wave_options.timeout applies too.
 *
 * Hooks of an event are called in the order in which they were added. A hook that is added during an event is called from the next event on. An instruction,
 * a block, an access of one lane and a fault are an event each. docs/waves.md describes what hooks cost.
 */
heddle_status heddle_wave_on_instruction(heddle_wave wave, uint64_t from, uint64_t to, heddle_instruction_hook function, void *user,
	heddle_hook *hook, heddle_error **error);

/** Adds a hook that is called before each block that begins in the range. A block ends after an instruction that may branch, or after 256 instructions. */
heddle_status heddle_wave_on_block(heddle_wave wave, uint64_t from, uint64_t to, heddle_block_hook function, void *user, heddle_hook *hook,
	heddle_error **error);

/**
 * Adds a hook that is called for each lane of a load or atomic whose address is in the range, in any address space. Texels in guest memory are
 * reported, too, as units read them.
 */
heddle_status heddle_wave_on_load(heddle_wave wave, uint64_t from, uint64_t to, heddle_access_hook function, void *user, heddle_hook *hook,
	heddle_error **error);

/** Adds a hook that is called for each lane of a store or atomic whose address is in the range, before memory changes. */
heddle_status heddle_wave_on_store(heddle_wave wave, uint64_t from, uint64_t to, heddle_access_hook function, void *user, heddle_hook *hook,
	heddle_error **error);

/**
 * Adds a hook that is called when an instruction faults: ::HEDDLE_FAULT_MEMORY, an access that no region allows (fault->lane is the lowest such lane);
 * ::HEDDLE_FAULT_CODE, no executable code at pc; ::HEDDLE_FAULT_TRAP and others. The hook may map the missing memory, or set "pc", and return 1. If the
 * same fault occurs again without progress, the run ends with it. A fault hook does not slow down runs.
 */
heddle_status heddle_wave_on_fault(heddle_wave wave, heddle_fault_hook function, void *user, heddle_hook *hook, heddle_error **error);

/**
 * Removes a hook. It is not called again, also if it is removed by another hook of the same event: its user data may be freed. If a thread removes a hook
 * that is active on another thread, that call still returns.
 */
heddle_status heddle_wave_unhook(heddle_wave wave, heddle_hook hook, heddle_error **error);

/** Saves registers, pc and lane state of a wave, without memory. heddle_close frees the saved state. */
heddle_status heddle_wave_save(heddle_wave wave, heddle_saved *saved, heddle_error **error);

/** Restores saved state, into the same wave or another of the same instruction set and lane count. */
heddle_status heddle_wave_restore(heddle_wave wave, heddle_saved saved, heddle_error **error);

/** Tells what the last run has done. */
heddle_status heddle_wave_counters(heddle_wave wave, heddle_counters *counters, heddle_error **error);

/** Reads a code object: an ELF for the HSA runtime, as clang makes from OpenCL C or HIP. The bytes are copied. */
heddle_status heddle_module_read(const void *data, size_t size, heddle_module *module, heddle_error **error);

/** Reads a code object from a file. */
heddle_status heddle_module_open(const char *path, heddle_module *module, heddle_error **error);

/**
 * Assembles a compute program that no descriptor describes. It begins with its first instruction. Its arguments lie where programs of the set expect them,
 * one after the other, each at a multiple of its size: GCN finds their address in s[4:5], Tesla has them in s[] after the header, Valhall in
 * uniform words, Rogue in shared registers. A buffer is its address there: of 64 bits, of 32 for Tesla. The grid is a multiple of the block. A set
 * without compute programs is ::HEDDLE_EUNSUPPORTED. options may be NULL.
 */
heddle_status heddle_module_assemble(heddle_isa isa, const char *text, size_t length, const heddle_program_options *options,
	heddle_module *module, heddle_error **error);

/** Makes a module of the machine code of such a program. The bytes are copied. */
heddle_status heddle_module_code(heddle_isa isa, const void *code, size_t size, const heddle_program_options *options,
	heddle_module *module, heddle_error **error);

/** Opens the set of a module's code. */
heddle_status heddle_module_isa(heddle_module module, heddle_isa *isa, heddle_error **error);

/** Lists the kernels of a module. */
heddle_status heddle_module_kernels(heddle_module module, heddle_kernels **kernels, heddle_error **error);

/**
 * Runs a kernel to its end. Buffers hold what it has done, beside a fault too: up to it. result, which may be NULL, is written beside
 * faults, too. The address of a buffer for the guest is its own; it is equal to the host's modulo 8.
 */
heddle_status heddle_launch(heddle_module module, const heddle_launch_options *options, const heddle_arg *args, size_t arg_count,
	heddle_launch_result *result, heddle_error **error);

/** Ends the launches of a module that are under way, from any thread: they return ::HEDDLE_ESTOPPED soon. Those that begin later are not meant. */
heddle_status heddle_stop(heddle_module module);

#endif

#ifdef __cplusplus
}
#endif

#endif
