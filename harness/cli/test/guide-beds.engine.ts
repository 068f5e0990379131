import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { BED_VIEW_GUIDE, guideCommands, OWN_BED_GUIDES, PROJECT, runBy } from './guide-commands.ts';
import { makeGuideImages, removeGuideImages } from './guide-images.ts';
import { makeGuidePlace } from './guide-place.ts';

/** So long a view is looked at; it stays until it is ended. */
const VIEW_MS = 5_000;
const LABELS = { 'squall.test': 'guides' };

describe('commands of the guides on a bed of the user’s own', function () {
  this.timeout(300_000);
  let engine: Engine;
  let dir: string;
  let shop: { readonly containers: readonly string[]; readonly network: string };
  before(async () => {
    engine = await findEngine({ yes: true });
    await makeGuideImages(engine);
    shop = await startShop();
    dir = makeGuidePlace();
  });
  after(async () => {
    for (const id of shop.containers) await engine.removeContainer(id);
    await engine.removeNetwork(shop.network);
    await removeGuideImages(engine);
    engine.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** What `docker compose up` of a project called shop, with two of its service web, leaves running. */
  async function startShop() {
    const network = await engine.createNetwork({
      name: 'shop_default',
      subnet: '172.29.250.0/24',
      gateway: '172.29.250.1',
      labels: LABELS,
    });
    const containers: string[] = [];
    for (const number of [1, 2]) {
      const name = `shop-web-${number}`;
      const id = await engine.createContainer({
        name,
        hostname: name,
        image: 'registry.example/server:1.2',
        environment: {},
        labels: {
          ...LABELS,
          'com.docker.compose.project': 'shop',
          'com.docker.compose.service': 'web',
          'com.docker.compose.container-number': String(number),
        },
        network: { id: network, address: `172.29.250.${number + 1}`, aliases: [] },
      });
      containers.push(id);
      await engine.startContainer(id);
    }
    return { containers, network };
  }

  function squall(argv: readonly string[], cwd = dir): void {
    const bin = join(PROJECT, 'harness', 'cli', 'squall.mjs');
    const { status, error, stdout, stderr } = spawnSync(process.execPath, [bin, ...argv], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, DOCKER_HOST: engine.info.endpoint },
      ...(argv[0] === 'watch' && { timeout: VIEW_MS, killSignal: 'SIGTERM' }),
    });
    const looked = (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT';
    expect(looked ? 0 : status, `${argv.join(' ')}: ${stdout}${stderr}`).to.equal(0);
    if (argv[0] === 'watch' || argv[0] === 'logs') expect(stdout, argv.join(' ')).to.not.equal('');
  }

  for (const guide of OWN_BED_GUIDES) {
    it(`of ${guide} do what they say, one after another`, async () => {
      const block = guideCommands([guide]).filter((command) => runBy(command) === 'bed');
      expect(block.map(({ argv }) => argv[0])).to.include.members(['up', 'fault', 'down']);
      let isUp = false;
      try {
        for (const { argv } of block) {
          squall(argv);
          isUp = argv[0] !== 'down';
        }
      } finally {
        if (isUp) squall(['down']);
      }
      for (const id of shop.containers) expect((await engine.inspectContainer(id))?.running).to.equal(true);
    });
  }

  it(`of ${BED_VIEW_GUIDE} show a bed that is up`, () => {
    const views = guideCommands([BED_VIEW_GUIDE]).filter((command) => runBy(command) === 'bed');
    expect(views).to.not.deep.equal([]);
    squall(['up', 'topologies/memberlist-16.yaml'], PROJECT);
    try {
      for (const { argv } of views) squall(argv);
    } finally {
      squall(['down', '--bed', 'memberlist-16']);
    }
  });
});
