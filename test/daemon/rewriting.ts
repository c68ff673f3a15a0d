import { execFileSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import type { Fqdn } from '../../lib/core/ids.ts';
import { masterIn, type Rewritten, serverIn, withMaster, withServer } from '../../programs/client/drivers/rewrite.ts';
import { seeded } from '../../tools/support/seeded.ts';

/** A configuration that gets another node; its text is bytes read as Latin-1. */
type Rewriting = {
  readonly kind: 'salt-minion' | 'traditional';
  readonly text?: string;
  readonly fqdn: Fqdn;
  readonly certificate?: string;
};

/** The pieces of lines that configurations are made of here, with what confuses a reader of them. */
const pieces = {
  'salt-minion': [
    ...[
      'master:',
      'master: a.b',
      'master:\tx.y  # z',
      'master: "q.r"',
      "master: 'q'",
      'master: [a, b]',
      'master: |',
      'master:#c',
      'master: a#b',
    ],
    ...['  master: in', '#master: old', 'master_port: 4506', 'grains:', '', ' ', ' # c', 'ä: \u0080\u00ff', 'master: h\u00e9'],
  ],
  traditional: [
    ...[
      'serverURL=https://a.b/XMLRPC',
      'serverURL = http://a.b:8080/X;http://c/X',
      'serverURL=HTTPS://A.b',
      'serverURL=https://a.b:443/p?q=1#f',
    ],
    ...[
      'serverURL=https://u:p@a.b/x',
      'serverURL=ftp://a.b/',
      'serverURL=',
      'serverURL=nothing',
      'serverURL[comment]=Remote',
      'serverURL=http://10.0.0.1:80/X \t',
    ],
    ...['sslCACert=/usr/share/CERT', 'sslCACert = /x \t', 'sslCACert=', '#sslCACert=/old', 'enableProxy=0', '', 'ä=\u00ff'],
  ],
} as const;
const ends = ['\n', '\n', '\n', '\r\n', '\r'] as const;

function aRewriting(random: () => number): Rewriting {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const kind = pick(['salt-minion', 'traditional'] as const);
  const lines = Array.from({ length: Math.floor(random() * 7) }, () => pick<string>(pieces[kind]) + pick(ends));
  if (random() < 0.3) lines.push(pick<string>(pieces[kind]));
  const certificate = kind === 'traditional' && random() < 0.3 ? '/etc/ca.pem' : undefined;
  return {
    kind,
    ...(random() < 0.95 && { text: lines.join('') }),
    fqdn: 'node2.acme.test' as Fqdn,
    ...(certificate !== undefined && { certificate }),
  };
}

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

/** What the model makes of it, as the other program prints it. */
function byModel({ kind, text, fqdn, certificate }: Rewriting): object {
  const made: Rewritten = kind === 'salt-minion' ? withMaster(text, fqdn) : withServer(text, fqdn, certificate);
  const node = text === undefined ? undefined : kind === 'salt-minion' ? masterIn(text) : serverIn(text);
  return {
    ...('text' in made ? made.text !== '' && { text: base64(made.text) } : { fault: made.fault }),
    ...(node !== undefined && { node: base64(node) }),
  };
}

/** The configurations of which the model and a program (programs/client/go/cmd/vectors) make different ones. */
export function compareRewriting(program: string, { count, seed }: { readonly count: number; readonly seed: number }) {
  const random = seeded(seed);
  const all = Array.from({ length: count }, () => aRewriting(random));
  const wire = all.map((one) => JSON.stringify({ rewriting: { ...one, ...(one.text !== undefined && { text: base64(one.text) }) } }));
  const answers = execFileSync(program, { input: `${wire.join('\n')}\n`, encoding: 'utf8', maxBuffer: 2 ** 30 }).split('\n');
  return all.flatMap((one, n) => {
    const [model, other] = [byModel(one), JSON.parse(answers[n]!) as object];
    return isDeepStrictEqual(model, other) ? [] : [{ ...one, model, other }];
  });
}
