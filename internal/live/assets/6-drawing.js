// A fragment program, drawn into a canvas.

class Drawing {
  constructor(element) {
    const programs = JSON.parse(document.getElementById('live-programs').textContent);
    this.programs = programs;
    this.isa = chooser('attila:attila', (s) => s.draws);
    this.text = area(programs.attila, 8);
    this.size = h('select', {}, ...['96x64', '160x120', '320x240', '640x480'].map((x) => h('option', {value: x}, x)));
    this.size.value = '160x120';
    this.time = h('input', {type: 'number', step: '0.1', value: '0', class: 'live-code'});
    this.go = h('button', {type: 'button', class: 'live-run', click: () => this.draw()}, 'Draw');
    this.end = h('button', {type: 'button', disabled: true, click: stop}, 'Stop');
    this.error = h('div', {class: 'live-error', hidden: true, role: 'alert'});
    this.status = h('p', {class: 'live-status', role: 'status'});
    this.canvas = h('canvas', {width: '160', height: '120', role: 'img', 'aria-label': 'The picture that the program draws'});
    this.isa.addEventListener('change', () => {
      const own = Object.values(this.programs).includes(this.text.value) || !this.text.value.trim();
      const next = this.programs[this.isa.value.split(':')[0]];
      if (own && next) {
        this.text.value = next;
        this.text.dispatchEvent(new Event('input'));
      }
    });
    this.text.addEventListener('keydown', (e) => {
      if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
        e.preventDefault();
        this.draw();
      }
    });
    element.replaceChildren(
      h('div', {class: 'live-line'}, labelled('Instruction set', this.isa), labelled('Size', this.size), labelled('Time', this.time, 'live-narrow'), this.go, this.end),
      h('div', {class: 'live-beside'}, labelled('Fragment program', this.text, 'live-grow'), h('div', {}, this.canvas, this.status)),
      this.error);
  }

  async draw() {
    const [width, height] = this.size.value.split('x').map(Number);
    this.status.textContent = engine.module ? 'Drawing…' : 'Loading the engine, once for this page…';
    this.end.disabled = false;
    const from = performance.now();
    try {
      const r = await call('draw', {isa: this.isa.value, text: this.text.value, width, height, time: Number(this.time.value) || 0}, 60000);
      const pixels = Uint8ClampedArray.from(atob(r.pixels), (c) => c.charCodeAt(0));
      this.canvas.width = r.width;
      this.canvas.height = r.height;
      this.canvas.getContext('2d').putImageData(new ImageData(pixels, r.width, r.height), 0, 0);
      showFailure(this.error, this.text, null);
      this.status.textContent = `Drew ${r.width}x${r.height} pixels with ${r.steps} wave-instructions in ${((performance.now() - from) / 1000).toFixed(1)} s.`;
    } catch (err) {
      showFailure(this.error, this.text, err);
      this.status.textContent = 'There is no new picture; see below.';
    } finally {
      this.end.disabled = true;
    }
  }
}
