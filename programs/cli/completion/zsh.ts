import { type Named, type Place, programNames, withFiles, withLists, withValues } from './words.ts';

/**
 * A zsh script that completes commands, the values of options that have few, names of what exists, files where one is
 * named, and options once a hyphen is typed, each with what it does.
 */
export function zshScript(places: readonly Place[]): string {
  const valued = withValues(places).join('|');
  return `#compdef ${programNames.join(' ')}
# zsh completion for muster; load it with: source <(muster completion zsh)
_muster_names() {
  compadd -- \${(f)"$(\${words[1]} \${=1} -o name $via 2>/dev/null </dev/null)"}
}
_muster() {
  local place= files= list= i
  local -a offered options via
  for ((i = 2; i < CURRENT; i++)); do
    case \${words[i]} in (--insecure) via+=(--insecure) ;; esac
    case \${words[i-1]} in (--context|--endpoint) via+=("\${words[i-1]}" "\${words[i]}") ;; esac
    case \${words[i-1]} in (${valued}) continue ;; esac
    case "\${place:+$place }\${words[i]}" in
${places
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      ('${path}') place='${path}' ;;`)
  .join('\n')}
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${places.flatMap(valueCases).join('\n')}
    (${valued.replace(/^|(?<=\|)/g, '*\\ ')}) return ;;
  esac
  case $place in
${places.map((place) => `    ('${place.path}') offered=(${offeredAt(place)}) options=(${optionsAt(place)})${place.takesFile ? ' files=yes' : ''}${place.list ? ` list='${place.list}'` : ''} ;;`).join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe option options; elif [[ -n $list ]]; then _muster_names $list; elif [[ -n $files ]]; then _files; else _describe command offered; fi
}
compdef _muster ${programNames.join(' ')}
`;
}

const valueCases = (place: Place): string[] => [
  ...place.options
    .filter(({ choices }) => choices.length > 0)
    .map(({ name, choices }) => `    ('${place.path} ${name}') compadd -- ${choices.join(' ')}; return ;;`),
  ...withFiles(place).map((written) => `    ('${place.path} ${written}') _files; return ;;`),
  ...withLists(place).map(({ after, list }) => `    ('${place.path} ${after}') _muster_names '${list}'; return ;;`),
];

const offeredAt = ({ commands, choices }: Place): string =>
  [...commands, ...choices.map((name) => ({ name, does: '' }))].map(described).join(' ');
const optionsAt = ({ options }: Place): string => options.map(described).join(' ');

const described = ({ name, does }: Named): string => `'${(does ? `${name}:${does}` : name).replaceAll("'", "'\\''")}'`;
