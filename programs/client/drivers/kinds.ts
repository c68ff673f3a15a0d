import type { Fqdn } from '../../../lib/core/ids.ts';
import { certificateIn, masterIn, type Rewritten, serverIn, withMaster, withServer } from './rewrite.ts';
import type { Root } from './root.ts';

/**
 * Software that reports to a node from a client system, and the files that tie it to that node. Paths begin at the
 * root, without a leading slash.
 */
export type Kind = {
  readonly name: 'salt-minion' | 'venv-salt-minion' | 'traditional';
  /** The file that names the node. */
  readonly config: string;
  /**
   * Files that remember the previous node and would make the next one be refused. They are removed when the machine is
   * brought up for a node.
   */
  readonly caches: readonly string[];
  /** The units on this machine, in the order in which they are started; none when the software is not installed. */
  units(root: Root): readonly string[];
  rewrite(text: string | undefined, fqdn: Fqdn): Rewritten;
  /** The node that a configuration names. */
  nodeIn(text: string): string | undefined;
  /** Further files that the rewritten configuration needs, such as the certificate that it trusts. */
  requiredFiles(text: string): readonly string[];
  /** The minion's key, its public half, which Salt writes last, and the file that has its name. */
  readonly minion?: { readonly key: string; readonly publicKey: string; readonly id: string };
};

/** The folders of units, in the order in which systemd searches them (systemd.unit(5)). */
const unitFolders = ['etc/systemd/system', 'usr/local/lib/systemd/system', 'usr/lib/systemd/system', 'lib/systemd/system'];
const hasUnit = (root: Root, unit: string): boolean => unitFolders.some((folder) => root.has(`${folder}/${unit}`));

const salt = (name: 'salt-minion' | 'venv-salt-minion', folder: string): Kind => ({
  name,
  config: `${folder}/minion.d/susemanager.conf`,
  // A minion that finds another master's key there ends itself: "the master key has changed".
  caches: [`${folder}/pki/minion/minion_master.pub`],
  units: (root) => [`${name}.service`].filter((unit) => hasUnit(root, unit)),
  rewrite: withMaster,
  nodeIn: masterIn,
  requiredFiles: () => [],
  minion: { key: `${folder}/pki/minion/minion.pem`, publicKey: `${folder}/pki/minion/minion.pub`, id: `${folder}/minion_id` },
});

/** A Salt minion of the distribution's packages. */
export const saltMinion = salt('salt-minion', 'etc/salt');
/** A Salt minion with its own Python, as Uyuni installs it now. */
export const venvSaltMinion = salt('venv-salt-minion', 'etc/venv-salt-minion');

/**
 * The traditional client: rhnsd polls the server, and the server notifies osad. `certificate` replaces the one that it
 * trusts.
 */
export const traditional = (certificate?: string): Kind => ({
  name: 'traditional',
  config: 'etc/sysconfig/rhn/up2date',
  caches: [],
  units: (root) => {
    const polling = ['rhnsd.timer', 'rhnsd.service'].find((unit) => hasUnit(root, unit));
    // osad is often installed but disabled: a unit that is not enabled is not ours to start.
    const isNotified = hasUnit(root, 'osad.service') && root.has('etc/systemd/system/multi-user.target.wants/osad.service');
    return [...(polling === undefined ? [] : [polling]), ...(isNotified ? ['osad.service'] : [])];
  },
  rewrite: (text, fqdn) => withServer(text, fqdn, certificate),
  nodeIn: serverIn,
  requiredFiles: (text) => [certificateIn(text)].filter((file) => file !== undefined),
});
