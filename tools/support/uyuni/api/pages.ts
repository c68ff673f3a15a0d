/** Pages of a server, of which only what others build on is played: its head, its menu, and forms by their names. */
const pages = [
  'YourRhn.do',
  'manager/login',
  'manager/systems/keys',
  'systems/details/Overview.do',
  'channels/manage/Manage.do',
  'channels/manage/Delete.do',
  'activationkeys/Create.do',
];

/** The menu as a value of a script, as the pages of a server have it. */
const menu = JSON.stringify([{ label: 'Home', icon: 'fa-home', primaryUrl: '/rhn/YourRhn.do', target: '', active: true, submenu: null }]);

/** Longer than Apache takes a line to be by default (1 MiB). */
const longLine = Array.from({ length: 200_000 }, (_, n) => n).join(' ');

/** The page of a server at a path; undefined where none is played. `/rhn/` comes before it. */
export function pageAt(path: string): string | undefined {
  if (!path.startsWith('/rhn/') || !pages.includes(path.slice('/rhn/'.length))) return undefined;
  return `<!DOCTYPE html><html><head><title>Uyuni ${path}</title></head><body><nav id="nav"></nav><div id="left-menu-data"><script>
        window.JSONMenu = ${menu};
</script></div><h1>Uyuni ${path}</h1><script>
const list = document.getElementById('nav');
for (const { label, primaryUrl } of window.JSONMenu) list.append(Object.assign(document.createElement('a'), { textContent: label, href: primaryUrl }), ' ');
</script><p hidden>${longLine}</p></body></html>`;
}
