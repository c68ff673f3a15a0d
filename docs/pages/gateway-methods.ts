import { methods } from '../../lib/uyuni/api/methods.ts';
import { placeOf, places, routeOf } from '../../lib/uyuni/gateway/route.ts';
import { madeFrom, table } from './source.ts';

/** The methods in groups by what becomes of their calls where there are several servers. A method may be in two. */
function groups(): Map<string, string[]> {
  const all = new Map<string, Set<string>>();
  for (const [name, forms] of methods) {
    const ways = new Map(forms.map((form) => [placeOf(routeOf(name, form)), form.params.map((param) => param.name).join(', ')]));
    for (const [way, params] of ways)
      all.set(way, (all.get(way) ?? new Set()).add(ways.size > 1 ? `\`${name}(${params})\`` : `\`${name}\``));
  }
  return new Map([...all].map(([way, names]) => [way, [...names].sort()]));
}

const order = Object.values(places);
const rank = (way: string): number => (order.includes(way) ? order.indexOf(way) : order.length);

/** What becomes of each method where there are several servers. */
export function gatewayMethodsPage(): string {
  const sorted = [...groups()].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return `${madeFrom('lib/uyuni/api/methods.json and lib/uyuni/gateway/')}
# Methods of the gateway

Where calls go if there are several servers ([gateway.md](gateway.md)); with one server all are passed on as they are.
A method is in two groups if its forms differ; the parameters of one form are then beside it.

${table(
  ['where', 'methods'],
  sorted.map(([way, names]) => [way, String(names.length)]),
)}
${sorted.map(([way, names]) => `## ${way[0]?.toUpperCase()}${way.slice(1)}\n\n${wrapped(names)}\n`).join('\n')}`;
}

const columnsMax = 118;

/** Names in lines that fit beside each other in an editor. */
function wrapped(names: readonly string[]): string {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length + 2 <= columnsMax) lines[lines.length - 1] = `${last}, ${name}`;
    else {
      if (last !== undefined) lines[lines.length - 1] = `${last},`;
      lines.push(name);
    }
  }
  return lines.join('\n');
}
