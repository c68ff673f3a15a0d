import { type Flag, type Place, programNames, withValues } from './words.ts';

/**
 * A fish script that completes commands, options, the values of those that have few, names of what exists, and files
 * where one is named, each with what it does.
 */
export function fishScript(places: readonly Place[]): string {
  const root = places.find(({ path }) => path === '')!;
  const global = new Set(root.options.map(({ name }) => name));
  return `# fish completion for muster; load it with: muster completion fish | source
function __muster_at
    set -l path ''
    set -l before ''
    for word in (commandline -opc)[2..-1]
        set -l after $before
        set before $word
        contains -- $after ${withValues(places).join(' ')}
        and continue
        contains -- "$path $word" ${places
          .filter(({ path }) => path !== '')
          .map(({ path }) => quoted(` ${path}`))
          .join(' ')}
        and set path "$path $word"
    end
    test "$path" = "$argv"
end
function __muster_names
    set -l words (commandline -opc)
    set -l via
    for i in (seq 2 (count $words))
        contains -- $words[$i] --insecure
        and set -a via $words[$i]
        contains -- $words[(math $i - 1)] --context --endpoint
        and set -a via $words[(math $i - 1)] $words[$i]
    end
    $words[1] (string split ' ' $argv) -o name $via 2>/dev/null </dev/null
end
${programNames
  .flatMap((name) => [
    `complete -c ${name} -f`,
    ...root.options.map((flag) => option(`complete -c ${name}`, flag)),
    ...places.flatMap((place) => lines(name, place, global)),
  ])
  .join('\n')}
`;
}

function lines(program: string, { path, commands, options, choices, takesFile, list }: Place, global: ReadonlySet<string>): string[] {
  const start = `complete -c ${program} -n ${quoted(`__muster_at ${quoted(path === '' ? '' : ` ${path}`)}`)}`;
  return [
    ...commands.map(({ name, does }) => `${start} -a ${name} -d ${quoted(does)}`),
    ...(takesFile ? [`${start} -F`] : []),
    ...(list ? [`${start} -a ${named(list)}`] : []),
    ...(choices.length > 0 ? [`${start} -a ${quoted(choices.join(' '))}`] : []),
    ...options.filter(({ name }) => !global.has(name)).map((flag) => option(start, flag)),
  ];
}

const option = (start: string, { name, does, takesValue, takesFile, choices, list }: Flag): string =>
  `${start} -l ${name.slice(2)} -d ${quoted(does)}${takesFile ? ' -r -F' : takesValue ? ' -x' : ''}${choices.length > 0 ? ` -a ${quoted(choices.join(' '))}` : ''}${list ? ` -a ${named(list)}` : ''}`;

const named = (list: string): string => quoted(`(__muster_names ${quoted(list)})`);

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
