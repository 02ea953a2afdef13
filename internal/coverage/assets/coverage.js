// Listing and source of each program, and filters.
for (const part of document.querySelectorAll('.code')) {
  const p = panes(part, list => list.length + (list.length === 1 ? ' instruction, ' : ' instructions, ') + list.filter(tr => tr.className === 's-none').length + ' not run');
  filtered(part.querySelector('.filter'), p.rows, tr => tr.querySelector('.go').title);
}
for (const part of document.querySelectorAll('.forms')) filtered(part.querySelector('.filter'), [...part.querySelectorAll('tbody tr')], () => '');
function follow() { // a link opens what it leads to
  const to = document.getElementById(location.hash.slice(1));
  if (!to || !to.closest('details')) return;
  to.closest('details').open = true;
  to.scrollIntoView();
}
addEventListener('hashchange', follow);
follow();
