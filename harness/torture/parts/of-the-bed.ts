import { LABEL, parseOwner } from '../../testnet/index.ts';
import type { Part } from '../part.ts';
import { SubjectRun } from '../subject-run.ts';
import type { World } from '../world.ts';
import { atMoment, drawMoment, drawTruth, whileItLives } from './moment.ts';

/** The run's own container of a kind, once it is there. */
async function ownContainer(world: World, run: SubjectRun, kind: string): Promise<string | undefined> {
  return await whileItLives(world, run, async () => {
    const found = await world.engine.listContainers([`${LABEL.kind}=${kind}`]);
    return found.find(({ labels, state }) => {
      return state === 'running' && parseOwner(labels[LABEL.owner] ?? '')?.pid === run.pid;
    })?.id;
  });
}

/** It may be gone by then, with the bed: then it was not met. */
async function unlessGone(act: Promise<void>): Promise<boolean> {
  return await act.then(
    () => true,
    () => false,
  );
}

/** A lost agent lets every packet pass, so the trial that it was in shows nothing. */
export const agentKilled: Part = {
  name: 'agent-killed',
  title: 'the packet agent is killed at a random moment of the bed',
  times: { whole: 20, short: 1 },
  secondsEach: 25,
  async attempt(world, chance) {
    const run = new SubjectRun(world, { truth: drawTruth(chance) });
    const agent = await ownContainer(world, run, 'agent');
    const momentMs = drawMoment(chance, 8_000);
    const lives = agent !== undefined && (await atMoment(world, run, momentMs));
    const met = lives && (await unlessGone(world.engine.killContainer(agent, 'SIGKILL')));
    return await run.outcome(met, { momentMs });
  },
};

/** A wedged server answers nobody and forwards nothing: it is frozen in mid-fault. */
export const toxiproxyWedged: Part = {
  name: 'toxiproxy-wedged',
  title: 'Toxiproxy stands still from a random moment of the fault on',
  times: { whole: 20, short: 1 },
  secondsEach: 50,
  async attempt(world, chance) {
    const run = new SubjectRun(world, { truth: drawTruth(chance), scenario: 'proxied' });
    const server = await ownContainer(world, run, 'toxiproxy');
    const momentMs = drawMoment(chance, 12_000);
    const lives = server !== undefined && (await atMoment(world, run, momentMs));
    const met = lives && (await unlessGone(world.engine.pauseContainer(server)));
    return await run.outcome(met, { momentMs });
  },
};
