import { Fqdn } from '../../../../../lib/core/ids.ts';
import { folderAt } from '../../../../../lib/machine/folder.ts';
import { saltMinion, venvSaltMinion } from '../../../../../programs/client/drivers/kinds.ts';
import { rootAt } from '../../../../../programs/client/drivers/root.ts';
import { serviceDriver } from '../../../../../programs/client/drivers/service-driver.ts';
import { systemctl } from '../../../../../programs/client/drivers/services.ts';

/**
 * Drives once, and is killed by nothing less than SIGKILL when it is about to say its n-th line:
 * `drive-once KIND ROOT HOME SYSTEMCTL NODE N`.
 */
const [kind, root, home, program, node, n] = process.argv.slice(2) as [string, string, string, string, string, string];
let said = 0;
const driver = serviceDriver(kind === 'salt-minion' ? saltMinion : venvSaltMinion, {
  root: rootAt(root),
  folder: folderAt(home),
  services: systemctl(program),
  pause: async () => {},
  say: () => {
    said += 1;
    if (said === Number(n)) process.kill(process.pid, 'SIGKILL');
  },
});
process.exitCode = (await driver.start(Fqdn.parse(node))).ok ? 0 : 1;
