import { hash } from 'node:crypto';
import * as z from 'zod';

/** How many bytes a blob has at the most: in base64 it fits into a call, which takes 64 KiB. */
export const blobBytesMax = 44 * 1024;
/** How many blobs a manifest has at the most: about 200,000 entries. */
export const manifestBlobsMax = 40;

/** The SHA-256 of the bytes of a blob, in 64 hex digits: its name. */
export const BlobName = z.string().regex(/^[0-9a-f]{64}$/, 'the 64 hex digits of a SHA-256');

/** The name of a blob. */
export const nameOfBlob = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');
