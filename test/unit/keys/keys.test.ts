import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileKeys } from '../../../lib/keys/file.ts';
import { fixedKeys } from '../../../lib/keys/fixed.ts';
import type { Keys } from '../../../lib/keys/keys.ts';
import { secretKeys } from '../../../lib/keys/secrets.ts';
import { minuteMs, plusMs, secondMs } from '../../../lib/units.ts';
import { noon } from '../../support/a-row.ts';
import { type Answer, type CannedService, cannedService, refusal } from '../../support/canned-service.ts';

const secretOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const ring = (current: number, ...ids: number[]): string =>
  JSON.stringify({ current, keys: Object.fromEntries(ids.map((id) => [id, base64(secretOf(id))])) });

describe('fixed keys', () => {
  test('are the one that signs and the older ones that verify', async () => {
    const keys = fixedKeys({ id: 2, secret: secretOf(2) }, { id: 1, secret: secretOf(1) });
    expect(await keys.current()).toEqual({ id: 2, secret: secretOf(2) });
    expect([await keys.byId(1), await keys.byId(3)]).toEqual([{ id: 1, secret: secretOf(1) }, undefined]);
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

  test('that were never read are weather, and asked for again', async () => {
    const keys = await keysThatMeet(refusal('InternalServiceError', {}, 500), secret(ring(1, 1)));
    await expect(keys.current()).rejects.toMatchObject({ code: 'service.busy', retry: 'later' });
    expect(await keys.current()).toMatchObject({ id: 1 });
  });

  test('that are a broken key ring are refused', async () => {
    const keys = await keysThatMeet(secret('{"current":1,"keys":'));
    await expect(keys.current()).rejects.toMatchObject({ code: 'keys.unreadable', retry: 'never' });
  });
});
