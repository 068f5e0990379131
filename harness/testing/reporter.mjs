/**
 * Mocha reporter: the spec view on the console, and the counts as JSON in the file that SQUALL_TEST_COUNTS names.
 * A hook that fails is a failure; a pending test is one too, because this project has no skips.
 */
import { appendFileSync } from 'node:fs';
import Mocha from 'mocha';

export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const counts = { passed: 0, failed: 0 };
    runner.on('pass', () => {
      counts.passed += 1;
    });
    runner.on('fail', () => {
      counts.failed += 1;
    });
    runner.on('pending', () => {
      counts.failed += 1;
    });
    runner.once('end', () => {
      const file = process.env.SQUALL_TEST_COUNTS;
      if (file) appendFileSync(file, `${JSON.stringify(counts)}\n`);
    });
  }
}
