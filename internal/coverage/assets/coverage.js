// Listing and source of each program, and filters, once a part is open.
for (const part of document.querySelectorAll('.code')) begin(part, function () {
  const p = panes(part, list => list.length + (list.length === 1 ? ' instruction, ' : ' instructions, ') + list.filter(tr => tr.className === 's-none').length + ' not run');
  filtered(part.querySelector('.filter'), p.rows, tr => tr.querySelector('.go').title);
});
for (const part of document.querySelectorAll('.forms')) begin(part, () => filtered(part.querySelector('.filter'), [...part.querySelectorAll('tbody tr')], () => ''));
function begin(part, show) {
  if (part.open) return show();
  part.addEventListener('toggle', show, { once: true });
}
function follow() { // a link opens what it leads to
  const to = document.getElementById(location.hash.slice(1));
  if (!to || !to.closest('details')) return;
  to.closest('details').open = true;
  to.scrollIntoView();
}
addEventListener('hashchange', follow);
follow();
