// A text, digits or a file, listed.

class Listing {
  constructor(element) {
    this.element = element;
    this.isa = chooser('guess', () => true, [['', 'as the text or the file says'], ['guess', 'guess from the bytes']]);
    this.isa.value = 'guess';
    this.text = area('', 6);
    this.file = h('input', {type: 'file'});
    this.error = h('div', {class: 'live-error', hidden: true, role: 'alert'});
    this.status = h('p', {class: 'live-status', role: 'status'});
    this.out = h('div', {class: 'live-listing'});
    this.last = null;
    this.file.addEventListener('change', () => this.file.files.length && this.take(this.file.files[0]));
    this.isa.addEventListener('change', () => this.last && this.list(this.last));
    this.text.addEventListener('input', later(() => this.text.value.trim() && this.list({text: this.text.value}), 500));
    const zone = h('div', {class: 'live-zone'}, labelled('Or a code object, or bare machine code: choose a file, or drop it here', this.file));
    zone.addEventListener('dragover', (e) => {
      e.preventDefault();
      zone.classList.add('live-over');
    });
    zone.addEventListener('dragleave', () => zone.classList.remove('live-over'));
    zone.addEventListener('drop', (e) => {
      e.preventDefault();
      zone.classList.remove('live-over');
      if (e.dataTransfer.files.length) this.take(e.dataTransfer.files[0]);
    });
    element.replaceChildren(labelled('Instruction set', this.isa), labelled('A kernel as assembly, or its bytes in hexadecimal digits', this.text, 'live-grow'), zone, this.error, this.status, this.out);
  }

  async take(file) {
    const most = 8 << 20;
    if (file.size > most) {
      showFailure(this.error, null, {message: `${file.name} has ${file.size} bytes; at most ${most} are listed here`, hint: 'heddle dis lists files of any size'});
      return;
    }
    let bytes;
    try {
      bytes = new Uint8Array(await file.arrayBuffer());
    } catch (err) {
      showFailure(this.error, null, {message: `${file.name} cannot be read: ${err.message}`, hint: 'a folder is no file; one that has changed since has to be chosen again'});
      return;
    }
    let text = '';
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    this.list({data: btoa(text), name: file.name});
  }

  async list(what) {
    this.last = what;
    this.status.textContent = 'Listing…';
    try {
      const r = await call('list', {...what, isa: this.isa.value}, 20000);
      if (what !== this.last) return;
      showFailure(this.error, this.text, null);
      this.show(r, await pages());
    } catch (err) {
      if (what !== this.last) return;
      showFailure(this.error, what.text ? this.text : null, err);
      this.status.textContent = 'There is no listing; see above.';
      this.out.replaceChildren();
    }
  }

  show(r, map) {
    this.status.textContent = `${r.what}, listed as ${r.isa}: ${r.bytes} bytes, ${r.lines.length} lines${r.more ? ', and more' : ''}.` + (r.guess ? ` A guess: ${r.guess}` : '');
    const labels = new Set(r.labels || []);
    const word = /[A-Za-z_$.][\w$.]*/g;
    const pre = h('pre', {tabindex: '0', 'aria-label': 'Listing'});
    for (const line of r.lines) {
      if (line.label) {
        pre.append(h('b', {id: 'l-' + line.label, class: 'live-label'}, line.label + ':'));
      } else {
        pre.append(line.before || '', line.op ? link(map, r.isa, line.row, line.op) : '');
        const rest = line.rest || '';
        let from = 0;
        for (const m of rest.matchAll(word)) {
          if (!labels.has(m[0])) continue;
          pre.append(rest.slice(from, m.index), h('a', {href: '#l-' + m[0], click: (e) => this.goTo(e, m[0])}, m[0]));
          from = m.index + m[0].length;
        }
        pre.append(rest.slice(from));
      }
      if (line.comment) pre.append(line.label ? ' ' : '', h('span', {class: 'live-comment'}, line.comment));
      pre.append('\n');
    }
    const text = r.lines.map((l) => (l.label ? l.label + ': ' : (l.before || '') + (l.op || '') + (l.rest || '')) + (l.comment || '')).join('\n') + '\n';
    const copy = h('button', {type: 'button', click: () => navigator.clipboard.writeText(text).then(() => { copy.textContent = 'Copied'; }, () => { copy.textContent = 'The browser refuses to copy'; })}, 'Copy');
    this.out.replaceChildren(...r.head.map((x) => h('p', {}, x)), h('p', {}, copy), pre);
  }

  // goTo shows a label without leaving a trace in the address, which says what the page is at.
  goTo(e, label) {
    e.preventDefault();
    const to = document.getElementById('l-' + label);
    to.scrollIntoView({block: 'center'});
    to.classList.add('live-found');
    setTimeout(() => to.classList.remove('live-found'), 1500);
  }
}
