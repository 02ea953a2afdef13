// The theme, the search, the filter of lists. Pages work without it.
(function () {
  'use strict';
  const html = document.documentElement, root = document.currentScript.getAttribute('src').replace('site.js', '');
  html.dataset.root = root;
  try {
    const kept = localStorage.getItem('heddle-theme');
    if (kept) html.dataset.theme = kept;
  } catch (e) { /* pages of a disk may have no storage: the theme is the system's */ }

  // slug is the name of a file that most have for what is called so.
  function slug(name) {
    return name.replace(/[A-Z]/g, c => c.toLowerCase()).replace(/[^a-z0-9_.]/gu, '-').replace(/^[-.]+|[-.]+$/g, '').replace(/-{2,}/g, '-') || 'x';
  }
  let index = null, loading = false, waiting = null;
  // search.js calls it with its list; it gives the entries.
  window.heddleIndex = function (list) {
    index = [];
    for (const [w, before, after, entries] of list) {
      for (const e of entries) {
        const [n, t, u] = typeof e === 'string' ? [e] : e;
        index.push({ n, w, t, u: before + (u || slug(n)) + after });
      }
    }
    for (const e of index) {
      e.l = e.n.toLowerCase();
      e.s = (e.l + ' ' + (e.t || '') + ' ' + e.w).toLowerCase();
    }
    if (waiting) waiting();
    return index;
  };
  function load(then) {
    if (index) return then();
    waiting = then;
    if (loading) return;
    loading = true;
    script('search.js');
  }
  // rank is how well an entry fits, lower is better; 9 is not at all. Names come before texts.
  function rank(e, words, query) {
    if (e.l === query) return 0;
    if (e.l.startsWith(query)) return 1;
    if (e.l.includes(query)) return 2;
    let inName = 0;
    for (const w of words) {
      if (!e.s.includes(w)) return 9;
      if (e.l.includes(w)) inName++;
    }
    return inName ? 3 : 4;
  }
  function find(query) {
    query = query.trim().toLowerCase();
    const words = query.split(/\s+/).filter(Boolean), here = location.pathname.split('/').slice(-2)[0];
    if (!words.length) return [];
    const hits = [];
    for (const e of index) {
      const r = rank(e, words, query);
      if (r < 9) hits.push({ e, r, o: e.u.startsWith(here + '/') ? 0 : 1 });
    }
    hits.sort((a, b) => a.r - b.r || a.o - b.o || a.e.l.length - b.e.l.length || (a.e.l < b.e.l ? -1 : 1));
    return hits.slice(0, 40).map(h => h.e);
  }
  // around is the part of a text that holds a word.
  function around(text, query) {
    const at = text.toLowerCase().indexOf(query.trim().toLowerCase().split(/\s+/)[0]);
    return at > 60 ? '…' + text.slice(at - 40) : text;
  }

  function script(name) {
    const s = document.createElement('script');
    s.src = root + name;
    document.head.append(s);
  }

  document.addEventListener('DOMContentLoaded', function () {
    if (heddleHas.live) script('live.js');
    for (const table of document.querySelectorAll('main table')) {
      const scroll = document.createElement('div');
      scroll.className = 't';
      table.replaceWith(scroll);
      scroll.append(table);
    }
    // Pages link the ops that few instructions have.
    for (const pre of document.querySelectorAll('pre.ir')) {
      const seen = new Set([...pre.querySelectorAll('a')].map(a => a.textContent));
      pre.innerHTML = pre.innerHTML.replace(/^(.*? = |)([a-z]\w*)(?=[. \n])/gm, function (text, before, op) {
        if (seen.has(op)) return text;
        seen.add(op);
        return before + '<a href=' + root + 'ir/' + op + '.html>' + op + '</a>';
      });
    }
    let header = document.querySelector('header');
    if (!header) { // the page has a line that leads up instead
      header = document.createElement('header');
      const home = document.createElement('a');
      home.className = 'home';
      home.href = root + 'index.html';
      home.textContent = 'heddle';
      header.append(home);
      document.body.prepend(header);
    }
    const box = document.createElement('div');
    box.className = 'search';
    box.setAttribute('role', 'search');
    box.innerHTML = '<input type=search placeholder="Search ( / )" aria-label="Search instructions and reference" autocomplete=off spellcheck=false role=combobox aria-expanded=false aria-controls=found aria-autocomplete=list><ul class=found id=found role=listbox aria-label="Found" hidden></ul>';
    const input = box.firstChild, list = box.lastChild;
    const theme = document.createElement('button');
    theme.className = 'theme';
    theme.type = 'button';
    const nav = document.createElement('nav');
    nav.setAttribute('aria-label', 'Site');
    const places = [['ir/index.html', 'IR'], ['errors.html', 'Errata']];
    if (heddleHas.play) places.push(['play.html', 'Play']);
    for (const [to, text] of places) {
      const a = document.createElement('a');
      a.href = root + to;
      a.textContent = text;
      nav.append(a);
    }
    header.append(nav, box, theme);
    let at = -1;
    function dark() { return html.dataset.theme ? html.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches; }
    function name() {
      theme.textContent = dark() ? '☀' : '☾';
      theme.setAttribute('aria-label', dark() ? 'Light colours' : 'Dark colours');
    }
    name();
    theme.onclick = function () {
      html.dataset.theme = dark() ? 'light' : 'dark';
      try { localStorage.setItem('heddle-theme', html.dataset.theme); } catch (e) { /* it holds for this page then */ }
      name();
    };
    function show() {
      const found = find(input.value);
      list.textContent = '';
      at = found.length ? 0 : -1;
      found.forEach(function (e, i) {
        const li = document.createElement('li'), a = document.createElement('a'), b = document.createElement('b'), small = document.createElement('small');
        li.setAttribute('role', 'option');
        li.id = 'f' + i;
        a.href = root + e.u;
        a.tabIndex = -1;
        b.textContent = e.n;
        small.textContent = e.w + (e.t ? ' · ' + around(e.t, input.value) : '');
        a.append(b, small);
        li.append(a);
        list.append(li);
      });
      if (!found.length && input.value.trim()) {
        const li = document.createElement('li');
        li.textContent = 'Nothing found.';
        list.append(li);
      }
      list.hidden = !input.value.trim();
      input.setAttribute('aria-expanded', String(!list.hidden));
      mark();
    }
    function mark() {
      [...list.children].forEach((li, i) => li.setAttribute('aria-selected', String(i === at)));
      const li = list.children[at];
      if (li && at >= 0) { li.scrollIntoView({ block: 'nearest' }); input.setAttribute('aria-activedescendant', li.id); } else input.removeAttribute('aria-activedescendant');
    }
    input.onfocus = () => load(() => input.value && show());
    input.oninput = () => load(show);
    input.onkeydown = function (ev) {
      const n = list.querySelectorAll('a').length;
      if (ev.key === 'ArrowDown' && n) { at = (at + 1) % n; mark(); ev.preventDefault(); }
      else if (ev.key === 'ArrowUp' && n) { at = (at + n - 1) % n; mark(); ev.preventDefault(); }
      else if (ev.key === 'Enter') { const a = list.querySelectorAll('a')[at]; if (a) a.click(); }
      else if (ev.key === 'Escape') { list.hidden = true; input.setAttribute('aria-expanded', 'false'); input.blur(); }
    };
    document.addEventListener('click', ev => { if (!box.contains(ev.target)) { list.hidden = true; input.setAttribute('aria-expanded', 'false'); } });
    document.addEventListener('keydown', function (ev) {
      if (ev.key !== '/' || ev.ctrlKey || ev.metaKey || ev.altKey || /^(input|textarea|select)$/i.test(ev.target.tagName) || ev.target.isContentEditable) return;
      ev.preventDefault();
      input.focus();
      input.select();
    });

    const form = document.getElementById('filter'), table = document.getElementById('list');
    if (!form || !table) return;
    form.hidden = false;
    const rows = [...table.tBodies[0].rows].map(tr => ({
      tr, text: (tr.cells[0].textContent + ' ' + tr.cells[1].textContent).toLowerCase(),
      e: tr.cells[2].textContent.split(' '), f: tr.cells[3].textContent, v: tr.cells[4].textContent.split(' '), k: tr.dataset.k.split(' ')
    }));
    function filter() {
      const q = form.q.value.trim().toLowerCase().split(/\s+/).filter(Boolean), e = form.e.value, k = form.k.value, f = form.f.value, v = form.v.value;
      let n = 0;
      for (const r of rows) {
        const ok = q.every(w => r.text.includes(w)) && (!e || r.e.includes(e)) && (!k || r.k.includes(k)) && (!f || r.f === f) && (!v || r.v.includes(v));
        r.tr.hidden = !ok;
        if (ok) n++;
      }
      form.querySelector('output').textContent = n + ' of ' + rows.length;
    }
    // #k=NUMBER and so on, as links of other pages have it
    for (const [key, v] of new URLSearchParams(location.hash.slice(1))) if (form[key]) form[key].value = v;
    form.addEventListener('input', filter);
    form.addEventListener('submit', ev => ev.preventDefault());
    filter();
  });
})();
