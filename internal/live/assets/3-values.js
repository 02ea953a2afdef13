// Registers as fields: a name, a type, and a value or one for each lane.

const typesOf = (bits) => (bits === 64 ? ['f64', 'i64', 'u64', 'f32', 'hex'] : bits === 32 ? ['f32', 'i32', 'u32', 'f16', 'hex'] : ['hex']);

// listItems divides values at the commas that are not in brackets.
function listItems(text) {
  const items = [];
  let depth = 0, item = '';
  for (const c of text) {
    if (c === '(') depth++;
    if (c === ')') depth--;
    if (c === ',' && depth <= 0) {
      items.push(item.trim());
      item = '';
    } else item += c;
  }
  items.push(item.trim());
  return items;
}

// written is an item as the engine reads it: with its type in front, unless it is hexadecimal or says its own.
function written(item, type, known) {
  if (known && known.text === item && /nan/i.test(item)) return known.hex; // its payload is in no text
  if (item.startsWith('(')) return '(' + item.slice(1).replace(/\)$/, '').split(/[\s,]+/).filter(Boolean).map((x) => written(x, type)).join(' ') + ')';
  if (type === '' || item.includes(':') || /^0x/i.test(item)) return item;
  if (type === 'hex') return /^[0-9a-f]+$/i.test(item) ? '0x' + item : item;
  return type + ':' + item;
}

// A Row is a register that can be given.
class Row {
  constructor(name, changed) {
    this.name = name;
    this.runs = [];
    this.bits = 0;
    this.edited = false;
    this.field = h('input', {spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', class: 'live-code', 'aria-label': 'value of ' + name});
    this.type = h('select', {'aria-label': 'type of ' + name, disabled: true}, h('option', {value: ''}, 'as written'));
    this.drop = h('button', {type: 'button', class: 'live-small', 'aria-label': 'set ' + name + ' back to 0', title: 'set back to 0'}, '×');
    this.error = h('p', {class: 'live-error live-inline', hidden: true, role: 'alert'});
    this.element = h('div', {class: 'live-register'}, h('span', {class: 'live-name'}, name), this.type, this.field, this.drop, this.error);
    this.field.addEventListener('input', () => {
      this.edited = true;
      changed();
    });
    this.drop.addEventListener('click', () => {
      this.edited = false;
      this.runs = [];
      changed(true);
    });
    this.type.addEventListener('change', () => this.retype().then(() => this.edited && changed()));
  }

  // retype shows what the register holds as another type.
  async retype() {
    if (this.runs.length === 0) return;
    const {text} = await call('show', {type: this.type.value, bits: this.bits, hex: this.runs.map((r) => r.hex)});
    this.runs = this.runs.map((r, i) => ({...r, text: text[i]}));
    this.field.value = text.join(', ');
  }

  // given is the assignment; "" if the register is as it is without one.
  given() {
    if (!this.edited) return '';
    const items = listItems(this.field.value);
    return this.name + '=' + items.map((x, i) => written(x, this.type.value, this.runs[i])).join(',').replace(/\s+(?![^(]*\))/g, '');
  }

  // take is told what the engine has read.
  take(r) {
    this.field.setAttribute('aria-label', 'value of ' + r.name + (r.perLane ? ', one or one for each lane' : ''));
    this.edited = this.edited || !!r.given; // a part of what was given as a whole
    this.element.classList.toggle('live-given', this.edited);
    const busy = document.activeElement === this.field;
    if (this.bits !== r.bits) {
      this.bits = r.bits;
      this.type.replaceChildren(...typesOf(r.bits).map((x) => h('option', {value: x}, x)));
      this.type.value = typesOf(r.bits).includes(r.type) ? r.type : 'hex';
      this.type.disabled = typesOf(r.bits).length < 2;
      this.runs = r.runs;
      if (busy) return;
      if (this.type.value !== r.type) return this.retype();
      this.field.value = r.runs.map((x) => x.text).join(', ');
      return;
    }
    const held = this.runs.map((x) => x.hex).join() === r.runs.map((x) => x.hex).join();
    this.runs = r.runs.map((x, i) => (held ? this.runs[i] : x));
    if (!held && !busy) return this.retype();
  }

  fail(message) {
    this.error.textContent = message || '';
    this.error.hidden = !message;
    if (message) this.field.setAttribute('aria-invalid', 'true');
    else this.field.removeAttribute('aria-invalid');
  }
}

// stateWords divides a state at blanks that are not in brackets.
function stateWords(state) {
  const words = [];
  let depth = 0, word = '';
  for (const c of state + ' ') {
    if (c === '(' || c === '[') depth++;
    if (c === ')' || c === ']') depth--;
    if (/\s/.test(c) && depth <= 0) {
      if (word) words.push(word);
      word = '';
    } else word += c;
  }
  return words;
}

// bitsOf shows a value in binary, with what has changed marked.
function bitsOf(hex, was, bits) {
  const v = BigInt(hex), w = BigInt(was);
  const out = h('span', {class: 'live-bits', 'aria-hidden': 'true'});
  for (let i = bits - 1; i >= 0; i--) {
    const bit = String((v >> BigInt(i)) & 1n);
    const same = ((v ^ w) >> BigInt(i)) % 2n === 0n;
    out.append(same ? bit : h('b', {}, bit));
    if (i % 8 === 0 && i > 0) out.append(' ');
  }
  return out;
}

const lanesOf = (r, run) => (!r.perLane ? 'wave' : run.from === run.to ? `${run.from}` : `${run.from}–${run.to}`);
