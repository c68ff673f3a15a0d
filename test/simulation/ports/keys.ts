import {
  type GetSecretValueCommandOutput,
  PutSecretValueCommand,
  ResourceExistsException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type EpochMs, minuteMs, plusMs } from '../../../lib/core/time.ts';
import { fixedKeys, fixedSealKeys } from '../../../lib/ports/keys/fixed.ts';
import { parseKeyRing, printKeyRing, ringOfOne } from '../../../lib/ports/keys/key-ring.ts';
import type { Keys, TokenKey } from '../../../lib/ports/keys/keys.ts';
import { secretKeys } from '../../../lib/ports/keys/secrets.ts';
import type { Config } from '../config.ts';
import type { Environment } from '../environment.ts';
import type { Kernel } from '../kernel.ts';

/** The key that tokens are signed with at first. */
const first: TokenKey = { id: 1, secret: new Uint8Array(32).fill(7) };

/** What seals the audit. */
export const sealSecret = new Uint8Array(32).fill(9);

/**
 * Where the keys of membership tokens are: one secret that each environment reads for itself and keeps, or a file that
 * the embedded host has alone. It answers at once and never fails, so that a history in which nobody replaces a key is
 * as if there were none.
 */
export class KeyVault {
  /** Every key that there ever was, by id. */
  readonly all = new Map<number, TokenKey>([[first.id, first]]);
  /** Since when which key is worth nothing, and when which was made. */
  readonly retiredAt = new Map<number, EpochMs>();
  readonly madeAt: EpochMs[] = [];
  /** How long after that an environment may still believe its tokens, in ms, as it is stated. */
  readonly believedForMs: number;
  /** What seals the audit; nobody in the world replaces it. */
  readonly audit: Keys = fixedSealKeys(sealSecret);
  readonly #kernel: Kernel;
  readonly #ofHost: Keys | undefined;
  readonly #kept = new WeakMap<Environment, Keys>();
  readonly #tokens = new Set<string>();
  #text = printKeyRing(ringOfOne(first.secret));
  #version = 0;

  constructor({ shape }: Config, kernel: Kernel) {
    this.#kernel = kernel;
    this.believedForMs = shape === 'embedded' ? 0 : 5 * minuteMs;
    this.#ofHost = shape === 'embedded' ? this.#watched(fixedKeys(first)) : undefined;
  }

  /** The keys as one environment has them. */
  keysOf(environment: Environment): Keys {
    if (this.#ofHost) return this.#ofHost;
    const now = (): EpochMs => plusMs(this.#kernel.now, environment.clockOffMs);
    const keys = this.#kept.get(environment) ?? secretKeys({ client: this.#client, secretId: 'keys', now });
    this.#kept.set(environment, keys);
    return keys;
  }

  #watched(keys: Keys): Keys {
    return {
      ...keys,
      rotate: async (next) => {
        const rotation = await keys.rotate(next);
        const made = rotation && (await keys.current());
        if (made) this.#took(made);
        return rotation;
      },
    };
  }

  /** The verbs of Secrets Manager that are used, as it answers them. */
  get #client(): SecretsManagerClient {
    const send = async (command: object): Promise<Partial<GetSecretValueCommandOutput>> => {
      if (!(command instanceof PutSecretValueCommand)) return { SecretString: this.#text, VersionId: `version-${this.#version}` };
      const { ClientRequestToken: token = '', SecretString: text = '' } = command.input;
      if (this.#tokens.has(token)) throw new ResourceExistsException({ message: 'this version is there', $metadata: {} });
      this.#tokens.add(token);
      this.#text = text;
      this.#version += 1;
      this.#took(parseKeyRing(text, 'the vault').current);
      return {};
    };
    return { send } as unknown as SecretsManagerClient;
  }

  /** Another key signs: whatever else was written, it and the one before it are to hold, and no other. */
  #took(made: TokenKey): void {
    const before = [...this.all.keys()].at(-1);
    this.all.set(made.id, made);
    for (const id of this.all.keys())
      if (id !== made.id && id !== before && !this.retiredAt.has(id)) this.retiredAt.set(id, this.#kernel.now);
    this.madeAt.push(this.#kernel.now);
    this.#kernel.note(`key ${made.id} signs, and key ${before} holds`);
  }
}
