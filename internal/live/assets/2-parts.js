// What widgets are made of.

// h makes an element; attributes that are functions listen, those that are false are left out.
function h(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) {
    if (typeof v === 'function') e.addEventListener(k, v);
    else if (v === true) e.setAttribute(k, '');
    else if (v !== false && v != null) e.setAttribute(k, v);
  }
  e.append(...children.filter((c) => c != null && c !== false));
  return e;
}

let ids = 0;
const freshID = () => 'live' + ++ids;

// labelled puts a label over a field.
function labelled(text, field, kind = '') {
  field.id = field.id || freshID();
  return h('div', {class: 'live-field ' + kind}, h('label', {for: field.id}, text), field);
}

// area is a text field that grows with its text.
function area(text, rows = 1) {
  const a = h('textarea', {rows, spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', class: 'live-code'});
  a.value = text;
  const fit = () => {
    a.rows = Math.min(Math.max(rows, a.value.split('\n').length), 30);
  };
  a.addEventListener('input', fit);
  fit();
  return a;
}

// showFailure shows an error in place: each fault of a text with its line and a caret under the place. Choosing one goes to the place.
function showFailure(box, field, err) {
  box.replaceChildren();
  box.hidden = !err;
  if (field) {
    field.toggleAttribute('aria-invalid', !!(err && !err.register));
    if (err && !err.register) field.setAttribute('aria-invalid', 'true');
  }
  if (!err) return;
  if (!err.errors || err.errors.length === 0) {
    box.append(h('p', {}, err.message));
    if (err.hint) box.append(h('p', {class: 'live-hint'}, err.hint));
    return;
  }
  for (const e of err.errors) {
    const at = field && e.line > 0 ? h('button', {type: 'button', class: 'live-place', click: () => goTo(field, e.line, e.col)}, `${e.line}:${e.col}`) : `${e.line}:${e.col}`;
    box.append(h('p', {}, at, ' ', e.msg));
    if (e.source) {
      const before = [...e.source].slice(0, e.col - 1).map((c) => (c === '\t' ? '\t' : ' ')).join('');
      box.append(h('pre', {}, e.source + '\n' + before + '^'));
    }
    if (e.hint) box.append(h('p', {class: 'live-hint'}, e.hint));
  }
}

// goTo puts the cursor of a field at a line and column.
function goTo(field, line, col) {
  const lines = field.value.split('\n');
  const at = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  const place = Math.min(at + [...(lines[line - 1] || '')].slice(0, col - 1).join('').length, field.value.length);
  field.focus();
  field.setSelectionRange(place, place);
}

// later calls f when nothing has asked for it for a while.
function later(f, wait = 250) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(f, wait);
  };
}

// The sets, which the page that has a chooser holds.
const sets = () => {
  const e = document.getElementById('live-sets');
  return e ? JSON.parse(e.textContent) : [];
};

// chooser is a choice of set and variant; which says whether a set is in it.
function chooser(chosen, which = () => true, first = []) {
  const s = h('select', {});
  for (const [value, text] of first) s.append(h('option', {value}, text));
  for (const set of sets().filter(which)) {
    const group = h('optgroup', {label: `${set.name}: ${set.doc}`});
    for (const v of set.variants) group.append(h('option', {value: v.isa}, v.isa));
    s.append(group);
  }
  if ([...s.options].some((o) => o.value === chosen)) s.value = chosen;
  return s;
}

const setOf = (isa) => sets().find((s) => s.name === isa.split(':')[0]);

// stored is what the address of the page says of a part of it, and keep what writes it there.
function stored() {
  const p = new URLSearchParams(location.hash.slice(1));
  return p.has('text') ? p : null;
}

function keep(values) {
  const p = new URLSearchParams();
  for (const [k, v] of Object.entries(values)) if (v !== '' && v != null) p.set(k, v);
  history.replaceState(null, '', '#' + p.toString());
}

// pages are where the mnemonics of a set have their pages, from the index that the search of the site uses; empty if there is none.
let pagesLoaded = null;

function pages() {
  if (pagesLoaded) return pagesLoaded;
  pagesLoaded = new Promise((resolve) => {
    const read = window.heddleIndex; // of site.js
    window.heddleIndex = (list) => {
      resolve(new Map(read(list).map((e) => [e.w + ' ' + e.n, root + e.u])));
    };
    const s = document.createElement('script');
    s.src = root + 'search.js';
    s.onerror = () => resolve(new Map());
    document.head.append(s);
  });
  return pagesLoaded;
}

// link is a mnemonic as a link to its page, if it has one; the suffix of a form is no part of the name of a page.
function link(map, isa, row, text) {
  const set = isa.split(':')[0];
  const url = [row, text, row.replace(/_(e32|e64|sdwa|dpp)$/, '')].map((x) => map.get(set + ' ' + x)).find(Boolean);
  return url ? h('a', {href: url}, text) : text;
}
