// An instruction, or a few, to be run on one wave.

class Try {
  constructor(element, start) {
    this.element = element;
    this.isa = start.isa;
    this.stage = start.stage || '';
    this.dialect = start.dialect || '';
    this.rows = new Map();
    this.extra = []; // assignments of memory
    this.shown = new Map(); // types that results are shown as, by register
    this.run = later(() => this.evaluate());
    this.text = area(start.text);
    this.error = h('div', {class: 'live-error', hidden: true, role: 'alert'});
    this.inputs = h('div', {class: 'live-inputs'});
    this.result = h('div', {class: 'live-result', tabindex: '-1'});
    this.status = h('p', {class: 'live-status', role: 'status'});
    this.details = this.makeDetails();
    this.link = h('a', {href: '#'}, 'Link to this');
    this.build();
    this.setState(start.state || '');
  }

  build() {
    const go = h('button', {type: 'button', class: 'live-run', click: () => this.evaluate()}, 'Run');
    this.text.addEventListener('input', () => this.run());
    this.text.addEventListener('keydown', (e) => {
      if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
        e.preventDefault();
        this.evaluate();
      }
    });
    this.element.addEventListener('focusin', () => loadParts().catch(() => {}), {once: true});
    this.element.replaceChildren(
      h('div', {class: 'live-line'}, labelled('Instruction, or its bytes in hexadecimal digits', this.text, 'live-grow'), go),
      this.error,
      h('fieldset', {}, h('legend', {}, 'Registers before'), this.inputs, this.adder()),
      this.status, this.result, this.details,
      h('p', {class: 'live-foot'}, this.link),
    );
  }

  // adder takes a register that the program does not read, or memory.
  adder() {
    const field = h('input', {spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', class: 'live-code', placeholder: 'NAME=VALUE,VALUE or global:0x1000=hex:00112233'});
    const add = () => {
      const words = stateWords(field.value);
      if (words.length === 0) return;
      for (const w of words) this.assign(w);
      field.value = '';
      this.evaluate();
    };
    field.addEventListener('keydown', (e) => {
      if (e.key === 'Enter') {
        e.preventDefault();
        add();
      }
    });
    return h('div', {class: 'live-line live-add'}, labelled('Another register, or memory', field, 'live-grow'), h('button', {type: 'button', click: add}, 'Add'));
  }

  // makeDetails is what explain says of the text, which it is asked when somebody looks.
  makeDetails() {
    this.pages = h('div', {class: 'live-pages'});
    return h('details', {toggle: () => this.explain()}, h('summary', {}, 'Bits, operands and meaning of this text'), this.pages);
  }

  setState(state) {
    for (const r of this.rows.values()) r.element.remove();
    this.rows.clear();
    this.extra = [];
    for (const w of stateWords(state)) this.assign(w);
  }

  // assign takes an assignment as it is written in a state.
  assign(word) {
    const at = word.indexOf('=');
    const name = at < 0 ? word : word.slice(0, at);
    const value = at < 0 ? '' : word.slice(at + 1);
    if (/^(global|group):/.test(name)) {
      this.extra = this.extra.filter((x) => !x.startsWith(name + '='));
      this.extra.push(word);
      this.showExtra();
      return;
    }
    const row = this.row(name);
    row.edited = true;
    row.type.replaceChildren(h('option', {value: ''}, 'as written'));
    row.bits = 0;
    row.field.value = value;
  }

  row(name) {
    let r = this.rows.get(name);
    if (!r) {
      r = new Row(name, (now) => (now ? this.evaluate() : this.run()));
      this.rows.set(name, r);
      this.inputs.append(r.element);
    }
    return r;
  }

  showExtra() {
    for (const e of this.inputs.querySelectorAll('.live-memory')) e.remove();
    for (const word of this.extra) {
      const at = word.indexOf('=');
      const field = h('input', {spellcheck: 'false', class: 'live-code', 'aria-label': 'contents of memory ' + word.slice(0, at)});
      field.value = word.slice(at + 1);
      field.addEventListener('input', () => {
        const i = this.extra.findIndex((x) => x.startsWith(word.slice(0, at) + '='));
        if (i >= 0) this.extra[i] = word.slice(0, at + 1) + field.value.replace(/\s+/g, '');
        this.run();
      });
      const drop = h('button', {type: 'button', class: 'live-small', 'aria-label': 'remove memory ' + word.slice(0, at), title: 'remove', click: () => {
        this.extra = this.extra.filter((x) => !x.startsWith(word.slice(0, at) + '='));
        this.showExtra();
        this.evaluate();
      }}, '×');
      this.inputs.append(h('div', {class: 'live-register live-memory live-given'}, h('span', {class: 'live-name'}, word.slice(0, at)), h('span', {class: 'live-hint'}, 'memory'), field, drop));
    }
  }

  state() {
    return [...[...this.rows.values()].map((r) => r.given()).filter(Boolean), ...this.extra].join(' ');
  }

  target() {
    const t = {isa: this.isa};
    if (this.stage) t.stage = this.stage;
    if (this.dialect) t.dialect = this.dialect;
    return t;
  }

  // evaluate runs the text. Of several that are asked for while one runs the last counts.
  async evaluate() {
    const turn = (this.turn = (this.turn || 0) + 1);
    const state = this.state();
    const permanent = {isa: this.isa, stage: this.stage, dialect: this.dialect, text: this.text.value, state};
    this.link.href = '#' + new URLSearchParams(Object.entries(permanent).filter(([, v]) => v)).toString();
    keep(permanent);
    const wait = setTimeout(() => {
      this.status.textContent = engine.worker && engine.module ? 'Running…' : 'Loading the engine, once for this page…';
    }, 150);
    this.element.setAttribute('aria-busy', 'true');
    try {
      const r = await call('eval', {...this.target(), text: this.text.value, state});
      if (turn !== this.turn) return;
      await this.show(r);
      this.fail(null);
    } catch (err) {
      if (turn === this.turn) this.fail(err);
    } finally {
      clearTimeout(wait);
      if (turn === this.turn) this.element.removeAttribute('aria-busy');
    }
    if (turn === this.turn && this.details.open) this.explain();
  }

  fail(err) {
    for (const r of this.rows.values()) r.fail(err && err.register === r.name ? err.message : '');
    const named = err && this.rows.has(err.register);
    showFailure(this.error, this.text, named ? null : err);
    if (err) {
      this.status.textContent = named ? 'A register cannot be read; see above.' : 'The text cannot be run; see above.';
      this.result.classList.add('live-old');
    }
  }

  async show(r) {
    const seen = new Set();
    for (const reg of r.inputs) {
      seen.add(reg.name);
      await this.row(reg.name).take(reg);
    }
    for (const [name, row] of this.rows) {
      if (!seen.has(name)) {
        row.element.remove();
        this.rows.delete(name);
      }
    }
    const order = r.inputs.map((reg) => this.rows.get(reg.name).element);
    const held = [...this.inputs.children].filter((e) => !e.classList.contains('live-memory'));
    if (order.some((e, i) => e !== held[i])) this.inputs.prepend(...order); // moving a field takes the focus from it
    this.result.classList.remove('live-old');
    this.result.replaceChildren(this.program(r), r.fault ? this.fault(r) : '', this.changes(r), this.memory(r), this.notes(r));
    const n = r.changes.filter((c) => c.runs.some((x) => x.changed)).length;
    const lanes = r.width === 1 ? '' : ` on ${r.lanes} of ${r.width} lanes`;
    this.status.textContent = `${r.fault ? 'Faulted' : 'Ran'} ${r.steps} instruction${r.steps === 1 ? '' : 's'}${lanes}: ${n} register${n === 1 ? ' has' : 's have'} changed.`;
  }

  program(r) {
    const list = h('ol', {class: 'live-program'});
    for (const i of r.program) list.append(h('li', {}, h('code', {}, i.text), ' ', h('span', {class: 'live-hex'}, i.hex || 'no public encoding')));
    return list;
  }

  fault(r) {
    const box = h('div', {class: 'live-error', role: 'alert'}, h('p', {}, `Fault at ${r.fault.addr}${r.fault.lane >= 0 ? ', lane ' + r.fault.lane : ''}: ${r.fault.message}`));
    if (r.fault.memory) {
      box.append(h('button', {type: 'button', click: () => {
        this.assign(r.fault.memory);
        this.evaluate();
      }}, 'Put memory there: ' + r.fault.memory));
    }
    return box;
  }

  changes(r) {
    if (r.changes.length === 0) return h('p', {}, 'No register is written.');
    const body = h('tbody', {});
    for (const reg of r.changes) {
      const runs = reg.runs.length ? reg.runs : [];
      if (runs.length === 0) body.append(h('tr', {}, h('th', {scope: 'row'}, reg.name), h('td', {colspan: '4'}, 'no lane ran')));
      const rows = runs.map((run, i) => {
        const value = h('td', {class: 'live-value'}, run.text);
        const was = h('td', {class: 'live-was'}, run.wasText);
        const tr = h('tr', {class: run.changed ? 'live-changed' : ''});
        if (i === 0) tr.append(h('th', {scope: 'rowgroup', rowspan: String(runs.length)}, reg.name, this.resultType(reg, runs, () => rows)));
        tr.append(h('td', {class: 'live-lane'}, lanesOf(reg, run)), was, value,
          h('td', {class: 'live-raw'}, h('span', {class: 'live-hex'}, run.hex), ' ', bitsOf(run.hex, run.was, reg.bits),
            run.changed ? h('span', {class: 'live-mark'}, 'changed') : h('span', {class: 'live-same'}, 'as before')));
        tr.cells2 = {value, was};
        return tr;
      });
      body.append(...rows);
    }
    return h('div', {class: 'live-scroll', tabindex: '0', role: 'region', 'aria-label': 'Registers after'},
      h('table', {}, h('caption', {}, 'Registers after'), h('thead', {}, h('tr', {}, ...['Register', r.width === 1 ? '' : 'Lanes', 'Before', 'After', 'Bits'].map((x) => h('th', {scope: 'col'}, x)))), body));
  }

  // resultType is the choice of the type that a result is shown as.
  resultType(reg, runs, rows) {
    const types = typesOf(reg.bits);
    if (types.length < 2 || reg.mask) return '';
    if (!types.includes(reg.type)) types.unshift(reg.type);
    const s = h('select', {'aria-label': 'type of ' + reg.name + ' after'}, ...types.map((x) => h('option', {value: x}, x)));
    const show = async () => {
      this.shown.set(reg.name, s.value);
      const {text} = await call('show', {type: s.value, bits: reg.bits, hex: [...runs.map((x) => x.hex), ...runs.map((x) => x.was)]});
      rows().forEach((tr, i) => {
        tr.cells2.value.textContent = text[i];
        tr.cells2.was.textContent = text[i + runs.length];
      });
    };
    s.value = reg.type;
    s.addEventListener('change', show);
    const wanted = this.shown.get(reg.name);
    if (wanted && types.includes(wanted) && wanted !== reg.type) {
      s.value = wanted;
      show();
    }
    return s;
  }

  memory(r) {
    if (r.memory.length === 0) return '';
    const list = h('ul', {class: 'live-program'});
    for (const m of r.memory) list.append(h('li', {}, h('code', {}, `${m.space} ${m.addr}`), ' ', h('span', {class: 'live-hex'}, m.was), ' → ', h('b', {class: 'live-hex'}, m.now)));
    return h('div', {}, h('h4', {}, 'Memory that has changed'), list);
  }

  notes(r) {
    return r.notes.length === 0 ? '' : h('ul', {class: 'live-notes'}, ...r.notes.map((n) => h('li', {}, n)));
  }

  async explain() {
    if (!this.details.open) return;
    try {
      const text = this.text.value;
      const list = await call('explain', {...this.target(), text});
      const map = await pages();
      if (text === this.text.value) this.pages.replaceChildren(...list.map((p) => explained(p, map)));
    } catch (err) {
      this.pages.replaceChildren(h('p', {}, err.message + (err.errors && err.errors.length ? ' Bits are shown of one instruction at a time.' : '')));
    }
  }
}

// explained is a page of explain.
function explained(p, map) {
  const out = h('div', {});
  if (p.order) out.append(h('p', {}, p.order));
  out.append(h('p', {}, h('code', {}, p.text), ` ${p.size} bytes `, h('span', {class: 'live-hex'}, p.hex || ''), `, fidelity: ${p.fidelity}`));
  if (p.lack) out.append(h('p', {}, 'It cannot run: ' + p.lack));
  if (p.formula) out.append(h('pre', {}, p.formula.join('\n') + (p.floats ? '\nfloats: ' + p.floats : '')));
  for (const part of p.parts) {
    const head = h('p', {}, h('b', {}, link(map, p.isa, part.mnemonic, part.mnemonic)), part.doc ? ': ' + part.doc : '');
    out.append(head);
    if (part.fields.length) {
      out.append(h('ul', {class: 'live-fields'}, ...part.fields.map((f) => h('li', {},
        h('span', {class: 'live-range'}, f.hi === f.lo ? `${f.hi}` : `${f.hi}:${f.lo}`), h('code', {}, f.bits), h('span', {}, f.owner), f.text ? h('span', {class: 'live-hint'}, f.text) : ''))));
    }
  }
  for (const f of p.findings || []) out.append(h('p', {class: 'live-hint'}, `${f.msg} [${f.rule}]`));
  return out;
}
