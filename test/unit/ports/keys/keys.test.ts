import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dayMs, type EpochMs, minuteMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import { fileKeys } from '../../../../lib/ports/keys/file.ts';
import { fixedKeys } from '../../../../lib/ports/keys/fixed.ts';
import type { Keys, NextKey } from '../../../../lib/ports/keys/keys.ts';
import { secretKeys } from '../../../../lib/ports/keys/secrets.ts';
import { noon } from '../../../../tools/support/a-row.ts';
import { type Answer, type CannedService, cannedService, refusal } from '../../../support/canned-service.ts';

const secretOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const ring = (current: number, ...ids: number[]): string =>
  JSON.stringify({ current, keys: Object.fromEntries(ids.map((id) => [id, base64(secretOf(id))])) });

const next = (from: number, at: EpochMs): NextKey => ({ from, secret: secretOf(100 + from), at });

/** What every kind of keys does when it is rotated twice: two are valid at a time. */
async function rotatesTwice(keys: Keys): Promise<void> {
  expect(await keys.ages()).toEqual([{ id: 1 }]);
  expect(await keys.rotate(next(1, noon))).toEqual({ current: 2 });
  expect(await keys.ages()).toEqual([{ id: 2, since: noon }, { id: 1 }]);
  expect([await keys.byId(1), await keys.byId(2)]).toMatchObject([{ id: 1 }, { id: 2, secret: secretOf(101) }]);
  expect(await keys.rotate(next(1, noon))).toBeUndefined();
  const later = plusMs(noon, dayMs);
  expect(await keys.rotate(next(2, later))).toEqual({ current: 3, retired: 1 });
  expect(await keys.ages()).toEqual([
    { id: 3, since: later },
    { id: 2, since: noon },
  ]);
  expect([await keys.byId(1), keys.known(1), keys.known(2), keys.known(3)]).toMatchObject([undefined, undefined, { id: 2 }, { id: 3 }]);
}

describe('fixed keys', () => {
  test('can be rotated; two are valid at a time', () => rotatesTwice(fixedKeys({ id: 1, secret: secretOf(1) })));
  test('are the one that signs and the older ones that verify', async () => {
    const keys = fixedKeys({ id: 2, secret: secretOf(2) }, { id: 1, secret: secretOf(1) });
    expect(await keys.current()).toEqual({ id: 2, secret: secretOf(2) });
    expect([await keys.byId(1), await keys.byId(3)]).toEqual([{ id: 1, secret: secretOf(1) }, undefined]);
  });
  test('name a key in one byte, however often they are rotated', async () => {
    const keys = fixedKeys({ id: 255, secret: secretOf(1) });
    expect(await keys.rotate(next(255, noon))).toEqual({ current: 1 });
    expect(await keys.rotate(next(1, noon))).toEqual({ current: 2, retired: 255 });
  });
});

describe('keys in a file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-keys-'));
    file = join(folder, 'state', 'keys.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const open = (): Keys => fileKeys({ file, random: randomBytes });

  test('are made at the first start, for the owner alone, and are the same ever after', async () => {
    const made = await open().current();
    expect(made).toMatchObject({ id: 1, secret: { byteLength: 32 } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'state'))).toEqual(['keys.json']);
    expect(base64((await open().current()).secret)).toBe(base64(made.secret));
  });

  test('can be several, of which one signs', async () => {
    await open().current();
    writeFileSync(file, ring(2, 1, 2));
    expect(await open().current()).toEqual({ id: 2, secret: secretOf(2) });
    expect(await open().byId(1)).toEqual({ id: 1, secret: secretOf(1) });
    expect(await open().byId(3)).toBeUndefined();
  });

  test('can be rotated; two are valid at a time, and after the next start as well', async () => {
    const keys = open();
    await rotatesTwice(keys);
    expect(await open().ages()).toEqual(await keys.ages());
    expect(await open().current()).toEqual(await keys.current());
    expect(readdirSync(join(folder, 'state'))).toEqual(['keys.json']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('stay as they are when the new ones cannot be written', async () => {
    const keys = open();
    const before = await keys.current();
    rmSync(join(folder, 'state'), { recursive: true });
    writeFileSync(join(folder, 'state'), 'in the way');
    await expect(keys.rotate(next(1, noon))).rejects.toThrow();
    expect([await keys.current(), await keys.ages()]).toEqual([before, [{ id: 1 }]]);
  });

  test.runIf(process.platform !== 'win32')('that others may read are refused', async () => {
    await open().current();
    chmodSync(file, 0o640);
    expect(open).toThrow(expect.objectContaining({ code: 'keys.exposed', retry: 'never' }));
  });

  test.each([
    { what: 'no JSON', text: 'c2VjcmV0LXRoYXQtbXVzdC1ub3QtYmUtc2hvd24=' },
    { what: 'a key too short', text: JSON.stringify({ current: 1, keys: { 1: 'c2VjcmV0' } }) },
    { what: 'a current key that is not there', text: ring(3, 1, 2) },
    { what: 'a key that is not base64', text: JSON.stringify({ current: 1, keys: { 1: 'secret that must not be shown' } }) },
  ])('with $what are refused, and not shown', async ({ text }) => {
    await open().current();
    writeFileSync(file, text);
    expect(open).toThrow(
      expect.objectContaining({ code: 'keys.unreadable', message: expect.not.stringMatching(/c2Vj|must not be shown/) }),
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('keys in Secrets Manager', () => {
  let service: CannedService;
  afterEach(() => service.close());
  let moment = noon;
  const keysThatMeet = async (...answers: Answer[]): Promise<Keys> => {
    moment = noon;
    service = await cannedService(...answers);
    return secretKeys({ client: new SecretsManagerClient(service.client), secretId: 'keys', now: () => moment });
  };
  const secret = (text: string): Answer => ({ body: { SecretString: text } });

  test('can be a key ring', async () => {
    const keys = await keysThatMeet(secret(ring(2, 1, 2)));
    expect(await keys.current()).toEqual({ id: 2, secret: secretOf(2) });
    expect(await keys.byId(1)).toEqual({ id: 1, secret: secretOf(1) });
  });

  test('can be a generated string, whose hash is key 1', async () => {
    const keys = await keysThatMeet(secret('{generated'));
    const hash = createHash('sha256').update('{generated').digest();
    expect(base64((await keys.current()).secret)).toBe(base64(hash));
    expect(await keys.byId(1)).toMatchObject({ id: 1 });
  });

  test('are read once in five minutes, however many ask', async () => {
    const keys = await keysThatMeet(secret(ring(1, 1)), secret(ring(2, 1, 2)));
    await Promise.all(Array.from({ length: 20 }, () => keys.current()));
    moment = plusMs(noon, 5 * minuteMs - 1);
    expect(await keys.current()).toMatchObject({ id: 1 });
    expect(service.asked).toHaveLength(1);
    moment = plusMs(noon, 5 * minuteMs);
    expect(await keys.current()).toMatchObject({ id: 2 });
  });

  test('are read again for an unknown id, but not for every forged one', async () => {
    const keys = await keysThatMeet(secret(ring(1, 1)), secret(ring(2, 1, 2)));
    expect(await keys.byId(2)).toBeUndefined();
    expect(service.asked).toHaveLength(1);
    moment = plusMs(noon, 10 * secondMs);
    expect(await keys.byId(2)).toMatchObject({ id: 2 });
    for (let n = 3; n < 20; n++) expect(await keys.byId(n)).toBeUndefined();
    expect(service.asked).toHaveLength(2);
  });

  test('stay in use while the service does not answer', async () => {
    const keys = await keysThatMeet(secret(ring(1, 1)), refusal('InternalServiceError', {}, 500));
    await keys.current();
    moment = plusMs(noon, 5 * minuteMs);
    expect(await keys.current()).toMatchObject({ id: 1 });
    expect(service.asked).toHaveLength(2);
  });

  test('are known without waiting only as long as they would not be read again', async () => {
    const keys = await keysThatMeet(secret(ring(2, 1, 2)), secret(ring(3, 2, 3)));
    expect(keys.known(1)).toBeUndefined();
    await keys.current();
    moment = plusMs(noon, 5 * minuteMs - 1);
    expect(keys.known(1)).toEqual({ id: 1, secret: secretOf(1) });
    moment = plusMs(noon, 5 * minuteMs);
    expect(keys.known(1)).toBeUndefined();
    // The retired key is refused by everybody now, five minutes after it was retired at the latest.
    expect(await keys.byId(1)).toBeUndefined();
    expect(keys.known(2)).toMatchObject({ id: 2 });
  });

  test('can be rotated: the ring that is there with a new key, under an id that only one who replaces it can use', async () => {
    const keys = await keysThatMeet({ body: { SecretString: ring(2, 1, 2), VersionId: 'v2' } }, { body: {} }, secret(ring(2, 1, 2)));
    expect(await keys.rotate(next(2, noon))).toEqual({ current: 3, retired: 1 });
    const [, put] = service.asked;
    expect(put).toMatchObject({
      operation: 'PutSecretValue',
      body: { SecretId: 'keys', ClientRequestToken: expect.stringMatching(/^[0-9a-f]{32}$/) },
    });
    const stored = JSON.parse(String(put!.body['SecretString'])) as unknown;
    expect(stored).toEqual({ current: 3, keys: { 2: base64(secretOf(2)), 3: base64(secretOf(102)) }, since: { 3: noon } });
    await keys.current();
    expect(service.asked.map(({ operation }) => operation)).toEqual(['GetSecretValue', 'PutSecretValue', 'GetSecretValue']);
  });

  test('of which two rotate at once are rotated by one', async () => {
    const exists = refusal('ResourceExistsException');
    const keys = await keysThatMeet(secret(ring(2, 1, 2)), exists);
    expect(await keys.rotate(next(2, noon))).toBeUndefined();
  });

  test('have nothing written when another rotated before', async () => {
    const keys = await keysThatMeet(secret(ring(3, 2, 3)));
    expect(await keys.rotate(next(2, noon))).toBeUndefined();
    expect(service.asked).toHaveLength(1);
  });

  test('sign with a new key only when every environment may have asked for it', async () => {
    const keys = await keysThatMeet(secret(JSON.stringify({ ...JSON.parse(ring(2, 1, 2)), since: { 2: noon } })));
    expect(await keys.current()).toMatchObject({ id: 1 });
    moment = plusMs(noon, 20 * secondMs);
    expect(await keys.current()).toMatchObject({ id: 2 });
  });

  test('that were never read are a transient failure, and asked for again', async () => {
    const keys = await keysThatMeet(refusal('InternalServiceError', {}, 500), secret(ring(1, 1)));
    await expect(keys.current()).rejects.toMatchObject({ code: 'service.busy', retry: 'later' });
    expect(await keys.current()).toMatchObject({ id: 1 });
  });

  test('that are a broken key ring are refused', async () => {
    const keys = await keysThatMeet(secret('{"current":1,"keys":'));
    await expect(keys.current()).rejects.toMatchObject({ code: 'keys.unreadable', retry: 'never' });
  });
});
