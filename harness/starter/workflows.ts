/** Jobs that leave the reports behind whatever happens. A job that is cancelled gets 10 s, which is enough to clean up. */
export function githubWorkflow(): string {
  return `name: squall
on: [push, pull_request]
permissions:
  contents: read
jobs:
  gate:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: {node-version: 20, cache: npm}
      # What earlier runs took on such a machine, for the plan, and how checks ended: restored first and saved whatever happens,
      # under a key of this attempt, so that a job that is run again finds that it failed.
      - uses: actions/cache/restore@v4
        with:
          path: |
            reports/durations.json
            reports/gate-history.json
          key: squall-gate-\${{ github.run_id }}-\${{ github.run_attempt }}
          restore-keys: squall-gate-
      - run: npm ci
      - run: npx squall doctor
      - run: npx squall gate --full --budget 20m --yes
      - uses: actions/cache/save@v4
        if: always()
        with:
          path: |
            reports/durations.json
            reports/gate-history.json
          key: squall-gate-\${{ github.run_id }}-\${{ github.run_attempt }}
      - uses: actions/upload-artifact@v4
        if: always()
        with: {name: squall, path: reports/, retention-days: 14}
`;
}

export function gitlabWorkflow(): string {
  return `squall:
  image: node:20-bookworm
  timeout: 30m
  # GitLab's docker:dind over TLS. The runner has \`privileged = true\` and \`volumes = ["/certs/client", "/cache"]\`; without such
  # volumes: DOCKER_HOST tcp://docker:2375 and an empty DOCKER_TLS_CERTDIR alone; without services and variables: an engine in the job.
  services: [{name: 'docker:28-dind', alias: docker}]
  variables:
    DOCKER_HOST: tcp://docker:2376
    DOCKER_TLS_CERTDIR: /certs
    DOCKER_TLS_VERIFY: '1'
    DOCKER_CERT_PATH: /certs/client
  # How checks ended, kept when the job fails as well: a job that is run again finds that it failed.
  cache:
    key: squall
    when: always
    paths: [reports/durations.json, reports/gate-history.json]
  script:
    - npm ci
    - npx squall engine start --yes
    - npx squall doctor
    - npx squall gate --full --budget 20m --yes
  artifacts:
    when: always
    paths: [reports/]
    reports: {junit: reports/latest/junit.xml}
    expire_in: 14 days
`;
}
