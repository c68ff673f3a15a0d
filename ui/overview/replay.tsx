import { gapsText, type Span } from './replay.ts';
import type { Turned } from './use-replay.ts';

const hourS = 3_600;
const timeText = (at: string | number): string => new Date(at).toLocaleTimeString('en-GB');

/** The slider of the last hour. At its right end the page shows what is. */
export function Replay({ of }: { readonly of: Turned }) {
  const { at, go, hour } = of;
  const value = at === undefined ? hourS : Math.round((Date.parse(at) - hour.from) / 1_000);
  const text = at === undefined ? 'now' : timeText(at);
  const turn = (to: number): void => go(to >= hourS ? undefined : new Date(hour.from + to * 1_000).toISOString());
  return (
    <div className="replay">
      <label htmlFor="replay">The last hour</label>
      <div className="hour">
        <input
          id="replay"
          type="range"
          min={0}
          max={hourS}
          step={5}
          value={value}
          aria-valuetext={text}
          onChange={({ target }) => turn(Number(target.value))}
        />
        {at !== undefined && <Gaps of={of} />}
      </div>
      <output htmlFor="replay">{text}</output>
      {at !== undefined && (
        <button type="button" onClick={() => go(undefined)}>
          Back to now
        </button>
      )}
      {at !== undefined && <Known of={of} />}
    </div>
  );
}

/** Where in the hour no slots are known, below the slider. */
function Gaps({ of: { gaps, hour } }: { readonly of: Turned }) {
  const share = (ms: number): string => `${(ms / (hour.to - hour.from)) * 100}%`;
  return (
    <span className="gaps" aria-hidden="true">
      {gaps.map(({ from, to }: Span) => (
        <i key={from} style={{ left: share(from - hour.from), width: share(to - from) }} />
      ))}
    </span>
  );
}

/** What is known of the hour, and what is not. */
const Known = ({ of: { gaps, hour, readUntil } }: { readonly of: Turned }) => (
  <>
    {gaps.length > 0 && (
      <small>
        Nodes and events are as they were then. Slots are not known {gapsText(gaps, hour)}: they moved while this page was not open, and
        Muster keeps no maps of the past.
      </small>
    )}
    {readUntil !== undefined && (
      <small>There were more events than this page reads: what came after {timeText(readUntil)} is missing.</small>
    )}
  </>
);
