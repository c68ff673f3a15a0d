import { TokenCode } from '../../identity/token.ts';
import type { TokenKey } from '../../ports/keys/keys.ts';
import { cached, type Shell } from '../../runtime/shell.ts';

/** The token codes of a key, prepared once; they are forgotten together with the key. */
export function codeOf(shell: Pick<Shell, 'caches'>, key: TokenKey): TokenCode {
  const codes = cached(shell, 'token-codes', () => new WeakMap<TokenKey, TokenCode>());
  let code = codes.get(key);
  if (!code) {
    code = new TokenCode(key);
    codes.set(key, code);
  }
  return code;
}
