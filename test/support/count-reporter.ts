import type { Reporter, TestModule } from 'vitest/node';

/**
 * Prints the plain closing line `N passed, N failed, N skipped` and makes the run fail when a test
 * was skipped: a test whose service is missing must fail, not vanish.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (state === 'passed') counts.passed += 1;
        else if (state === 'failed') counts.failed += 1;
        else counts.skipped += 1;
      }
    }
    process.stdout.write(
      `\n${String(counts.passed)} passed, ${String(counts.failed)} failed, ${String(counts.skipped)} skipped\n`,
    );
    if (counts.skipped > 0) process.exitCode = 1;
  }
}
