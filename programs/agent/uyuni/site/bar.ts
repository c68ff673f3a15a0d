import { type Standing, whoEdits } from './standing.ts';

/**
 * The script of the bar on top of each page of a server: which node it is, that it is part of a cluster, and what is
 * locked. It builds its elements by name, and gives them text, so that no value becomes markup.
 */
export const barScript = (standing: Standing): string => `(() => {
  const told = ${asScript(toldOf(standing))};
  const element = (name, text, style) => Object.assign(document.createElement(name), { textContent: text }, style && { style });
  const show = () => {
    if (document.getElementById('muster-bar')) return;
    const bar = element('div', '', 'display:flex;gap:1.5em;padding:.4em 1em;background:#1d3557;color:#fff;font:13px/1.5 sans-serif');
    bar.id = 'muster-bar';
    bar.setAttribute('role', 'note');
    bar.append(element('b', told.node), element('span', told.cluster));
    const link = element('a', 'Cluster UI', 'color:#fff;text-decoration:underline');
    link.href = told.clusterUi;
    bar.append(link);
    if (told.locked) bar.append(element('span', told.locked));
    document.body.prepend(bar);
  };
  if (document.body) show();
  else addEventListener('DOMContentLoaded', show);
})();
`;

const toldOf = (standing: Standing) => ({
  node: standing.fqdn,
  cluster: `part of a cluster, zone ${standing.zone}`,
  clusterUi: standing.clusterUi,
  locked: lockLine(standing),
});

const lockLine = (standing: Standing): string => {
  if (!standing.locksContent) return '';
  return standing.isOpen ? 'Common content is open for editing here.' : `Common content is locked here. ${whoEdits(standing)}`;
};

/** A value as a script has it: what could end the script or a line of it is written by its code. */
const asScript = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
