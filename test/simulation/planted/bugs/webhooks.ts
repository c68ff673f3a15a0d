import { type Bug, patch } from '../bug.ts';

/** Mistakes in what is delivered to webhooks, and to whom. */
export const webhookBugs: readonly Bug[] = [
  {
    name: 'who-does-not-answer-has-it',
    breaks: 'every-event-reaches-its-webhook',
    why: 'whatever took so long to answer was there, and has read what it was sent',
    foundIn: { world: 'delivering', seed: 3 },
    patches: [
      patch(
        "if ('failed' in posted) return { because: posted.failed };",
        "if ('failed' in posted) return { because: posted.failed, delivered: true };",
      ),
    ],
  },
  {
    name: 'whoever-died-had-ordered-the-next',
    breaks: 'every-event-reaches-its-webhook',
    why: 'an attempt that is written down has been made, and the next one is ordered right after it',
    foundIn: { world: 'delivering-killed', seed: 8 },
    patches: [
      patch(
        'if (delivery.round !== round || delivery.attempts > attempt) return;',
        'if (delivery.round !== round || delivery.attempts >= attempt) return;',
      ),
    ],
  },
  {
    name: 'the-secret-before-is-the-past',
    soonest: true,
    breaks: 'every-event-reaches-its-webhook',
    why: 'whoever asked for a new secret has it, and needs no other',
    foundIn: { world: 'delivering', seed: 1 },
    patches: [
      patch(
        'before && before.until > now ? [current, before.secret] : [current];',
        'before && before.until < now ? [current, before.secret] : [current];',
      ),
    ],
  },
  {
    name: 'an-event-is-the-same-for-everybody',
    breaks: 'every-event-reaches-its-webhook',
    why: 'a webhook that hears of a client system may hear all of it',
    foundIn: { world: 'delivering-cloned', seed: 1 },
    patches: [patch("zones === 'all' ? event :", 'zones ? event :')],
  },
  {
    name: 'whoever-hears-of-a-type-hears-of-it-everywhere',
    breaks: 'nobody-is-sent-what-he-did-not-ask-for',
    why: 'who asks for an event has been looked at already, when its zone was not known',
    foundIn: { world: 'delivering-late', seed: 1 },
    patches: [
      patch('asking.filter((one) => wants(one, event, zone))', "asking.filter((one) => wants({ ...one, zones: 'all' }, event, zone))"),
    ],
  },
  {
    name: 'disabled-is-for-what-comes',
    breaks: 'nobody-is-sent-what-he-did-not-ask-for',
    why: 'a webhook that is disabled begins no delivery, and those that have begun come to their end',
    foundIn: { world: 'delivering', seed: 1 },
    patches: [patch('if (!webhook || webhook.disabled) return', 'if (!webhook) return')],
  },
  {
    name: 'a-new-secret-is-put-down-to-somebody',
    breaks: 'no-secret-is-in-the-feed',
    why: 'the audit is to know who replaced a secret, and whatever is put down to somebody is handed on with its row',
    foundIn: { world: 'delivering', seed: 1 },
    patches: [patch('async function newSecret({ actor: _caller, ...shell }: Shell,', 'async function newSecret(shell: Shell,')],
  },
];
