// What a page begins with.

// tryPage is the part of the play page that tries an instruction of any set.
function tryPage(element) {
  const p = stored();
  const first = sets()[0];
  const isa = chooser((p && p.get('isa')) || first.variants[0].isa);
  const stage = h('select', {}), dialect = h('select', {});
  const stageField = labelled('Stage', stage), dialectField = labelled('Style of text', dialect);
  const place = h('div', {});
  const fill = (select, field, names, chosen) => {
    select.replaceChildren(...(names || []).map((x) => h('option', {value: x}, x)));
    field.hidden = !names || names.length === 0;
    if (chosen && (names || []).includes(chosen)) select.value = chosen;
  };
  const begin = (start) => {
    const set = setOf(isa.value);
    fill(stage, stageField, set.stages, start && start.stage);
    fill(dialect, dialectField, set.dialects, start && start.dialect);
    return new Try(place, start || {isa: isa.value, stage: stage.value, dialect: dialect.value, ...set.example});
  };
  let one = begin(p && {isa: isa.value, stage: p.get('stage') || '', dialect: p.get('dialect') || '', text: p.get('text'), state: p.get('state') || ''});
  isa.addEventListener('change', () => {
    const old = setOf(one.isa), set = setOf(isa.value);
    if (old === set) one.isa = isa.value;
    else one = begin(null);
    one.evaluate();
  });
  for (const [select, key] of [[stage, 'stage'], [dialect, 'dialect']]) {
    select.addEventListener('change', () => {
      one[key] = select.value;
      one.evaluate();
    });
  }
  element.replaceChildren(h('div', {class: 'live-line'}, labelled('Instruction set', isa), stageField, dialectField), place);
  if (p) one.evaluate();
  window.addEventListener('hashchange', () => {
    const q = stored();
    if (!q) return;
    if (q.get('isa')) isa.value = q.get('isa');
    one = begin({isa: isa.value, stage: q.get('stage') || '', dialect: q.get('dialect') || '', text: q.get('text'), state: q.get('state') || ''});
    one.evaluate();
  });
}

// isFraction reports whether a number is written as floats are, with a point or an exponent.
const isFraction = (text) => /^-?\d+(?=[.e])(\.\d+)?(e[-+]\d+)?$/.test(text);

// shownValues are the values of cells of an example that have the same type. Cells have bits beside the text if it does not say them; these are taken of what
// is no number by itself: of NaN, of several numbers in a word, of an integer that is a part of it.
function shownValues(cells) {
  const list = cells.map((cell) => ({text: cell.firstChild.textContent.trim(), digits: cell.querySelector('i')?.textContent}));
  const floats = list.some((c) => c.digits && isFraction(c.text));
  return list.map(({text, digits}) => {
    if (!digits) return text;
    if (/^-?\d+$/.test(text)) {
      if (floats) return text + '.0';
      if (BigInt.asUintN(4 * digits.length, BigInt(text)) === BigInt('0x' + digits)) return text;
    }
    return floats && (isFraction(text) || /^[-+]Inf$/.test(text)) ? text : '0x' + digits;
  });
}

// shownState is what an example gives registers: the columns over which Before stands. Of several runs it is the first.
function shownState(table) {
  const [head, names] = table.tHead.rows, lines = [...table.tBodies[0].rows];
  if (head.cells.length < 2 || head.cells[1].textContent !== 'Before') return '';
  if (head.cells[0].textContent === 'Run') lines.length = 1;
  return [...names.cells].slice(0, head.cells[1].colSpan).map((name, i) =>
    name.textContent + '=' + shownValues(lines.map((line) => line.cells[i + 1]).filter((cell) => cell.textContent.trim())).join()).join(' ');
}

// tryHere is the part of the page of an instruction that tries it.
function tryHere(element, first) {
  const d = element.dataset;
  const start = {isa: d.isa, stage: d.stage, dialect: d.dialect, text: d.text, state: d.state};
  const table = document.querySelector('table.x'); // of the first example, as the section is
  if (start.text === undefined) start.text = table.caption.textContent;
  if (start.state === undefined) start.state = shownState(table);
  const p = first ? stored() : null;
  if (p) for (const k of ['isa', 'stage', 'dialect', 'text', 'state']) start[k] = p.get(k) || (k === 'isa' ? start.isa : '');
  const box = h('div', {});
  element.replaceChildren(h('h4', {class: 'live-title'}, 'Try it'), box);
  const one = new Try(box, start);
  if (p) one.evaluate();
  if (first) {
    window.addEventListener('hashchange', () => {
      const q = stored();
      if (!q) return;
      one.text.value = q.get('text');
      one.setState(q.get('state') || '');
      one.evaluate();
    });
  }
}

function begin() {
  document.querySelectorAll('section.live[data-isa]').forEach((e, i) => tryHere(e, i === 0));
  const at = (id, make) => {
    const e = document.getElementById(id);
    if (e) make(e);
  };
  at('live-try', tryPage);
  at('live-list', (e) => new Listing(e));
  at('live-draw', (e) => new Drawing(e));
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
else begin();
