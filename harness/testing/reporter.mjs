/**
 * Mocha reporter: the spec view on the console, and the counts and the names of what failed, each with the first line of
 * its error, as JSON in the file that SQUALL_TEST_COUNTS names.
 * A hook that fails is a failure; a pending test is one too, because this project has no skips.
 */
import { appendFileSync } from 'node:fs';
import Mocha from 'mocha';

export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const counts = { passed: 0, failed: 0, failures: [] };
    const failed = (test, reason) => {
      counts.failed += 1;
      counts.failures.push(`${test.titlePath().join(' › ')}: ${String(reason).split('\n')[0].slice(0, 400)}`);
    };
    runner.on('pass', () => {
      counts.passed += 1;
    });
    runner.on('fail', (test, error) => failed(test, error?.message ?? error));
    runner.on('pending', (test) => failed(test, 'skipped, which this project does not do'));
    runner.once('end', () => {
      const file = process.env.SQUALL_TEST_COUNTS;
      if (file) appendFileSync(file, `${JSON.stringify(counts)}\n`);
    });
  }
}
