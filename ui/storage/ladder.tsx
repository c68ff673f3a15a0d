import { Status as Mark, Panel, short } from '../kit/kit.tsx';
import type { Status } from './asks.ts';
import { goalOf, type Rung, rungsOf, type Standing } from './levels.ts';
import type { LossOf } from './loss.tsx';
import { portal } from './tree.ts';

type Props = { readonly status: Status; readonly loss: LossOf | undefined; readonly onPick: (id: string) => void };

/** The levels as a ladder: which one the cluster has reached, which one is wanted, and what each waits for. */
export function Ladder({ status, loss, onPick }: Props) {
  const goal = goalOf(status);
  return (
    <Panel title="Levels" className="ladder-side">
      <ol className="ladder">
        {rungsOf(status, loss).map((rung) => (
          <Step key={rung.level} rung={rung} isGoal={rung.level === goal} isAt={rung.level === status.reached} />
        ))}
        <li className={`rung ${status.reached === -1 ? 'is-at' : ''}`}>
          <span className="no">–</span>
          <div>
            <b>nothing runs</b> {goal === -1 && <em>wanted</em>}
          </div>
        </li>
      </ol>
      {loss && loss.reached < status.reached && (
        <p className="note bad">
          The cluster would fall to {loss.reached < 0 ? 'nothing' : `level ${loss.reached}`}, and must be at level {loss.level}.
        </p>
      )}
      <Awaited status={status} onPick={onPick} />
    </Panel>
  );
}

const marks: Readonly<Record<Standing, string>> = {
  reached: 'online',
  'under way': 'starting',
  'going down': 'stopping',
  'to come': 'waiting',
  off: 'off',
};

function Step({ rung, isGoal, isAt }: { readonly rung: Rung; readonly isGoal: boolean; readonly isAt: boolean }) {
  const { level, name, online, all, standing, needs, lost } = rung;
  const share = (n: number): string => `${all === 0 ? 0 : (n / all) * 100}%`;
  const left = Math.max(0, online - lost);
  return (
    <li className={`rung ${isAt ? 'is-at' : ''} ${standing === 'reached' ? 'is-calm' : ''}`} aria-current={isAt ? 'step' : undefined}>
      <span className="no">{level}</span>
      <div>
        <b>{name}</b> <Mark is={marks[standing]}>{standing}</Mark> {isGoal && <em>wanted</em>}
        <span className="track" aria-hidden="true">
          <i style={{ width: share(left) }} />
          {lost > 0 && <i className="goes" style={{ width: share(online - left) }} />}
        </span>
        <small>
          {all === 0 ? 'no processes' : `${online} of ${all} online`}
          {lost > 0 && <b className="bad-text">, {lost} would go</b>}
        </small>
        <small className="needs">{needs}</small>
      </div>
    </li>
  );
}

/** The processes that the step under way waits for. */
function Awaited({ status: { waitingFor, waiting, hosts = [] }, onPick }: Pick<Props, 'status' | 'onPick'>) {
  if (waiting === 0) return null;
  const types = new Map(hosts.flatMap(({ processes }) => processes).map(({ fid, type, endpoint }) => [fid, `${type} ${portal(endpoint)}`]));
  return (
    <>
      <h3>It waits for {waiting}</h3>
      <ul className="touches">
        {waitingFor.slice(0, 12).map(({ process, host, state }) => (
          <li key={process}>
            <button type="button" className="plain" onClick={() => onPick(`process ${process}`)}>
              <Mark is={state}>
                {short(host)} {types.get(process) ?? process}
              </Mark>
            </button>
          </li>
        ))}
        {waiting > 12 && <li className="soft">and {waiting - 12} more</li>}
      </ul>
    </>
  );
}
