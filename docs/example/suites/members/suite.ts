import { describeScenario, type ScenarioSpec, type TrialContext } from 'squall';

/** A sixth member that Squall knows nothing of. */
async function startGuest(trial: TrialContext): Promise<void> {
  const image = process.env['GUEST_IMAGE'];
  if (!image) throw new Error('GUEST_IMAGE: not set; expected an image that speaks memberlist');
  const { networkId, labels } = trial.guestPlace();
  // Only now: it takes its engine from the environment when it is loaded.
  const { GenericContainer, Wait } = await import('testcontainers');
  const [first] = trial.nodes('member[1]');
  await new GenericContainer(image)
    .withNetworkMode(networkId)
    .withLabels({ ...labels })
    .withEnvironment({
      SQUALL_NODE_NAME: 'guest',
      SQUALL_JOIN: first?.address ?? '',
      SQUALL_EXPECTED: '6',
      SQUALL_LABEL: 'example',
    })
    .withWaitStrategy(Wait.forLogMessage(/"event":"ready"/))
    .start();
}

const members: ScenarioSpec = {
  name: 'guest',
  description: 'Two of five members are cut off; the guest, which testcontainers started, may not be called dead.',
  topology: 'members',
  parameters: {
    outage: { type: 'duration', description: 'how long the two are cut off', default: '3s' },
  },
  grids: { default: { description: 'one point', axes: {} } },
  defaultGrid: 'default',
  trials: 1,
  bed: 'fresh',
  phases: [
    {
      name: 'warm-up',
      steps: [
        { name: 'the guest starts', run: startGuest },
        {
          name: 'all see all',
          until: { event: 'converged', on: 'member', count: 'all' },
          within: '60s',
          orElse: 'void',
        },
      ],
    },
    {
      name: 'fault',
      steps: [{ fault: { kind: 'hold', id: 'cut', on: 'pick(2,member)', for: '${outage}', tcp: 'drop' } }],
    },
    { name: 'settle', steps: [{ name: 'watched', wait: '5s' }] },
  ],
  measure: [],
  measures: [],
  checks: [
    {
      check: 'no-event',
      title: 'nobody calls the guest dead',
      kind: 'invariant',
      parameters: { event: 'member.dead', where: { victim: 'guest' } },
      reason: 'It was never cut off, and an outage of 3 s is shorter than any suspicion.',
    },
  ],
};

describeScenario(members);
