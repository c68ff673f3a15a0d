import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { EpochMs } from '../../core/time.ts';
import { askService } from '../aws/ask-service.ts';
import { admittedName, type ListedObject, type Objects, plain } from './objects.ts';

/** The place of the objects: their keys are their names behind the prefix and a slash. */
export type S3ObjectsOptions = { readonly client: S3Client; readonly bucket: string; readonly prefix: string };

/** The errors by which S3 refuses a conditional write: another object is there, or is being written, or none is. */
const refusals = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'];

/** Objects in a bucket of S3, which replaces an object at once, and conditionally by its ETag. */
export function s3Objects({ client, bucket: Bucket, prefix }: S3ObjectsOptions): Objects {
  const at = (name: string) => ({ Bucket, Key: `${prefix}/${admittedName(name)}` });
  const read: Objects['read'] = async (name) => {
    const { Body, ETag: tag } = await client.send(new GetObjectCommand(at(name)));
    return Body && tag !== undefined ? { bytes: plain(await Body.transformToByteArray()), tag } : undefined;
  };
  const replace = async (name: string, bytes: Uint8Array, tag: string | undefined): Promise<string | undefined> => {
    const condition = tag === undefined ? { IfNoneMatch: '*' } : { IfMatch: tag };
    const { ETag } = await client.send(new PutObjectCommand({ ...at(name), Body: bytes, ...condition }));
    return ETag;
  };
  return {
    read: (name) => askService('read an object', unless(['NoSuchKey'], read(name))),
    write: async (name, bytes) =>
      void (await askService('write an object', client.send(new PutObjectCommand({ ...at(name), Body: bytes })))),
    replace: (name, bytes, tag) => askService('replace an object', unless(refusals, replace(name, bytes, tag))),
    list: () => askService('list objects', listed(client, Bucket, `${prefix}/`)),
    remove: async (name) => void (await askService('remove an object', client.send(new DeleteObjectCommand(at(name))))),
  };
}

async function listed(client: S3Client, Bucket: string, Prefix: string): Promise<ListedObject[]> {
  const found: ListedObject[] = [];
  for (let token: string | undefined; ; ) {
    const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken: token }));
    for (const { Key = '', LastModified } of page.Contents ?? [])
      found.push({ name: Key.slice(Prefix.length), at: EpochMs.parse(LastModified?.getTime() ?? 0) });
    if (!page.IsTruncated) return found;
    token = page.NextContinuationToken;
  }
}

/** What a call gives; undefined for an error of one of these names. */
async function unless<T>(names: readonly string[], call: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && names.includes(error.name)) return undefined;
    throw error;
  }
}
