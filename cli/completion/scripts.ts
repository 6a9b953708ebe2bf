/** What each shell reads once; from then on it asks `portolan completion SHELL --words -- WORDS` at every tab. A line of a tab alone means files. */
export const scripts = {
  bash: `# bash: put this line into ~/.bashrc: source <(portolan completion bash)
_portolan() {
  local IFS=$'\\n' line word current=\${COMP_WORDS[COMP_CWORD]}
  local -a words=()
  # Bash splits at '=': what stood together is put together again.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if (( \${#words[@]} )) && [[ $word == '=' || \${words[-1]} == *= ]]; then words[-1]+=$word; else words+=("$word"); fi
  done
  [[ $current == '=' ]] && current=''
  local typed=\${words[-1]}
  local before=\${typed%"$current"}
  COMPREPLY=()
  while read -r line; do
    if [[ $line == $'\\t' ]]; then
      COMPREPLY+=($(compgen -f -- "$current"))
      compopt -o filenames 2>/dev/null
    else
      line=\${line%%$'\\t'*}
      [[ $line == *= ]] && compopt -o nospace 2>/dev/null
      COMPREPLY+=("\${line#"$before"}")
    fi
  done < <("\${COMP_WORDS[0]}" completion bash --words -- "\${words[@]}" 2>/dev/null)
}
complete -F _portolan portolan
`,
  zsh: `# zsh: put this line into ~/.zshrc, behind compinit: source <(portolan completion zsh)
_portolan() {
  local line
  local -a found
  for line in "\${(@f)$("\${words[1]}" completion zsh --words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == $'\\t' ]]; then
      compset -P '*='
      _files
    elif [[ -n $line ]]; then
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  if (( \${#found} )); then _describe portolan found; fi
}
compdef _portolan portolan
`,
  fish: `# fish: put this line into ~/.config/fish/config.fish: portolan completion fish | source
function __portolan_complete
    set -l words (commandline -opc) "$(commandline -ct)"
    for line in ($words[1] completion fish --words -- $words[2..-1] 2>/dev/null)
        if test "$line" = \\t
            set -l before (string match -r '^[^=]*=' -- "$words[-1]")
            for path in (__fish_complete_path (string replace -r '^[^=]*=' '' -- "$words[-1]"))
                echo "$before$path"
            end
        else
            echo $line
        end
    end
end
complete -c portolan -f -a '(__portolan_complete)'
`,
} as const;

export type Shell = keyof typeof scripts;
