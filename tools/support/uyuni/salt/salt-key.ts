import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * A program in place of salt-key for the key folders below a root. Like salt-key it takes names for patterns and lists,
 * and a key that is accepted keeps its file. It notes its calls in `calls`; what `wrong` holds goes wrong: it fails, or
 * exchanges the key that it accepts.
 */
const script = (root: string): string => `#!/bin/sh
cd '${root}/etc/salt/pki/master' || exit 1
echo "$*" >> '${root}/calls'
from=minions_pre
list() { echo "\${1#*=}" | tr , ' '; }
wrong=$(cat '${root}/wrong' 2>/dev/null)
[ "$wrong" = fails ] && { echo 'salt-key: no' >&2; exit 3; }
for word; do
  case $word in
    --include-rejected) from="$from minions_rejected" ;;
    --include-accepted) from="$from minions" ;;
    --accept=*) for id in $(list "$word"); do for f in $from; do [ -e "$f/$id" ] && { mv "$f/$id" minions/; [ "$wrong" = swaps ] && printf -- '-----\\nother\\n-----\\n' > "minions/$id"; }; done; done ;;
    --reject=*) for id in $(list "$word"); do for f in $from; do [ -e "$f/$id" ] && mv "$f/$id" minions_rejected/; done; done ;;
    --delete=*) for id in $(list "$word"); do rm -f minions*/"$id"; done ;;
  esac
done
exit 0
`;

/** Writes the program that stands in place of salt-key below a root; gives its path. */
export function writeSaltKey(root: string): string {
  const path = join(root, 'usr/bin/salt-key');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, script(root));
  chmodSync(path, 0o755);
  return path;
}
