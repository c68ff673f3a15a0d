import * as z from 'zod';
import { ClusterId } from '../../lib/core/ids.ts';
import { jsonIn } from '../../lib/core/json.ts';
import { Unusable } from '../../lib/machine/command-line.ts';
import { isPrivate } from '../../lib/machine/endpoint.ts';
import { readGivenFile } from '../../lib/machine/own.ts';
import { type Directory, directoryOf } from '../../lib/uyuni/gateway/directory.ts';

/** What a file with nodes has: `systems` are pairs of a cluster id and the number on that node. */
const NodesFile = z.strictObject({
  nodes: z.array(
    z.strictObject({
      name: z.string().regex(/^[\w.:-]{1,253}$/, 'a name such as node1.acme.org'),
      url: z.url({ protocol: /^https?$/ }).refine(isPrivate, { error: 'an address of https, as passwords are sent there' }),
      up: z.boolean().default(true),
      inSync: z.boolean().default(true),
      serverId: ClusterId.optional(),
      systems: z.array(z.tuple([ClusterId, z.int().positive()])).default([]),
    }),
  ),
});

/** The directory that a file has. Throws {@link Unusable} with the reason. */
export function directoryIn(path: string): Directory {
  const read = NodesFile.safeParse(jsonIn(readGivenFile(path)));
  if (!read.success) throw new Unusable(`${path} does not list nodes: ${z.prettifyError(read.error).replaceAll(/\s*\n\s*/g, ' ')}`);
  const { nodes } = read.data;
  const names = new Set(nodes.map(({ name }) => name));
  if (names.size < nodes.length) throw new Unusable(`${path} lists a node twice`);
  try {
    return directoryOf(
      nodes.map(({ name, url, up, inSync, serverId }) => ({
        ...{ name, url, isUp: up, isInSync: inSync },
        ...(serverId !== undefined && { serverId }),
      })),
      nodes.flatMap(({ name, systems }) => systems.map(([clusterId, localId]) => [clusterId, name, localId] as const)),
    );
  } catch (error) {
    throw new Unusable(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
