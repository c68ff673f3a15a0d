import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A unit's process: alive for a minute at the most, whatever becomes of its test. */
const unit = 'setTimeout(() => {}, 60_000)';

/**
 * What a systemctl of a test does: a unit is a process of this machine, whose pid stands in a file by the unit's name.
 */
const script = (units: string) => `#!${process.execPath}
const { spawn } = require('node:child_process');
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const [verb, ...rest] = process.argv.slice(2);
const names = rest.slice(rest.indexOf('--') + 1);
const file = (name) => ${JSON.stringify(units)} + '/' + name;
const pidOf = (name) => (existsSync(file(name)) ? Number(readFileSync(file(name), 'utf8')) : 0);
const lives = (pid) => pid > 0 && existsSync('/proc/' + pid) && !/^\\d+ \\(.*\\) Z/.test(readFileSync('/proc/' + pid + '/stat', 'utf8'));
for (const name of names) {
  const pid = pidOf(name);
  if (verb === 'start' && !lives(pid)) {
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(unit)}], { detached: true, stdio: 'ignore' });
    child.unref();
    writeFileSync(file(name), String(child.pid));
  }
  if (verb === 'stop' && lives(pid)) process.kill(pid, 'SIGTERM');
  if (verb === 'show')
    console.log(['Id=' + name, 'ActiveState=' + (lives(pid) ? 'active' : 'inactive'), 'MainPID=' + (lives(pid) ? pid : 0), 'Job=0', 'User=motr', ''].join('\\n'));
}
`;

/**
 * Puts a systemctl into a folder, for the head of a PATH; gives the folder in which each unit that was ever started has
 * a file with its pid.
 */
export function aSystemctl(folder: string): string {
  const units = join(folder, 'units');
  mkdirSync(units, { recursive: true });
  writeFileSync(join(folder, 'systemctl'), script(units));
  chmodSync(join(folder, 'systemctl'), 0o755);
  return units;
}
