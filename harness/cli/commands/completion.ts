import type { CommandModule } from 'yargs';

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# squall completion for bash: add to ~/.bashrc:  source <(squall completion bash)
_squall() {
  local answers
  mapfile -t answers < <(squall __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("\${answers[@]}")
  [ \${#COMPREPLY[@]} -gt 0 ] || compopt -o default
}
complete -F _squall squall
`,
  zsh: `#compdef squall
# squall completion for zsh: add to ~/.zshrc after compinit:  source <(squall completion zsh)
_squall() {
  local -a answers
  answers=("\${(@f)$(squall __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [ -n "\${answers[1]}" ]; then compadd -a answers; else _files; fi
}
compdef _squall squall
`,
  fish: `# squall completion for fish:  squall completion fish > ~/.config/fish/completions/squall.fish
function __squall_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l answers (squall __complete $words[2..-1] 2>/dev/null)
  if test (count $answers) -gt 0
    printf '%s\\n' $answers
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c squall -f -a '(__squall_complete)'
`,
};

export const command: CommandModule<unknown, { shell: string }> = {
  command: 'completion [shell]',
  describe: 'print a completion script for bash, zsh or fish',
  builder: (cli) =>
    cli
      .positional('shell', {
        type: 'string',
        choices: Object.keys(SCRIPTS),
        default: (process.env.SHELL ?? '').split('/').at(-1) === 'zsh' ? 'zsh' : 'bash',
        describe: 'the shell to print for',
      })
      .example('source <(squall completion bash)', 'completion in this shell')
      .example(
        'squall completion fish > ~/.config/fish/completions/squall.fish',
        'completion in every fish shell',
      ),
  handler: ({ shell }) => {
    process.stdout.write(SCRIPTS[shell] ?? '');
  },
};
