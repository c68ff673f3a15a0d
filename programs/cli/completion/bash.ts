import { type Place, programNames, withFiles, withLists, withValues } from './words.ts';

/**
 * A bash script that completes commands, the values of options that have few, names of what exists, files where one is
 * named, and options once a hyphen is typed.
 */
export function bashScript(places: readonly Place[]): string {
  const valued = withValues(places).join('|');
  return `# bash completion for muster; load it with: source <(muster completion bash)
_muster_files() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$1"))
  compopt -o filenames 2>/dev/null
}
_muster_names() {
  local list=($1) name
  while IFS= read -r name; do
    [[ $name == "$cur"* ]] && COMPREPLY+=("$name")
  done < <("\${COMP_WORDS[0]}" "\${list[@]}" -o name "\${via[@]}" 2>/dev/null </dev/null)
}
_muster() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= words= options= files= list= via=() i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in --insecure) via+=(--insecure) ;; esac
    case \${COMP_WORDS[i-1]} in --context | --endpoint) via+=("\${COMP_WORDS[i-1]}" "\${COMP_WORDS[i]}") ;; esac
    case \${COMP_WORDS[i-1]} in ${valued}) continue ;; esac
    case "\${path:+$path }\${COMP_WORDS[i]}" in
${commandPaths(places)}
    esac
  done
  case "$path $prev" in
${valueCases(places)}
    ${valued.replace(/^|(?<=\|)/g, '*\\ ')}) return ;;
  esac
  case $path in
${places.map((place) => `    '${place.path}') words='${wordsOf(place)}' options='${optionsOf(place)}'${place.takesFile ? ' files=yes' : ''}${place.list ? ` list='${place.list}'` : ''} ;;`).join('\n')}
  esac
  [[ $cur == -* ]] && words=$options files= list=
  [[ $list ]] && { _muster_names "$list"; return; }
  [[ $files ]] && { _muster_files "$cur"; return; }
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _muster ${programNames.join(' ')}
`;
}

const commandPaths = (places: readonly Place[]): string =>
  places
    .filter(({ path }) => path !== '')
    .map(({ path }) => `      '${path}') path='${path}' ;;`)
    .join('\n');

const valueCases = (places: readonly Place[]): string =>
  places.flatMap((place) => [...choiceCases(place), ...fileCases(place), ...listCases(place)]).join('\n');

const choiceCases = ({ path, options }: Place): string[] =>
  options
    .filter(({ choices }) => choices.length > 0)
    .map(({ name, choices }) => `    '${path} ${name}') COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$cur")); return ;;`);

const fileCases = (place: Place): string[] =>
  withFiles(place).map((written) => `    '${place.path} ${written}') _muster_files "$cur"; return ;;`);

const listCases = (place: Place): string[] =>
  withLists(place).map(({ after, list }) => `    '${place.path} ${after}') _muster_names '${list}'; return ;;`);

const wordsOf = ({ commands, choices }: Place): string => [...commands.map(({ name }) => name), ...choices].join(' ');
const optionsOf = ({ options }: Place): string => options.map(({ name }) => name).join(' ');
