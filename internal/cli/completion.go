package cli

import (
	"io"

	"github.com/spf13/cobra"
)

// bashWords is what the script needs of the package bash-completion, for where that is not
// installed: the words of the line, parted by spaces alone, so that topic:KEY is one.
const bashWords = `if ! declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
    _get_comp_words_by_ref()
    {
        local line=${COMP_LINE:0:COMP_POINT}
        read -ra words <<<"$line"
        [[ $line == *[[:space:]] ]] && words+=("")
        cword=$((${#words[@]} - 1))
        cur=${words[cword]}
        prev=${words[cword > 0 ? cword - 1 : 0]}
    }
fi

`

func (p *program) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Long:  "Print the completion script of a shell. Load it in the start-up file of that shell.",
		Example: examples("source <(engram completion bash)", "engram completion zsh > \"${fpath[1]}/_engram\"",
			"engram completion fish > ~/.config/fish/completions/engram.fish"),
		Args: between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, w := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				if _, err := io.WriteString(w, bashWords); err != nil {
					return outputError(err)
				}
				return root.GenBashCompletionV2(w, true)
			case "zsh":
				return root.GenZshCompletion(w)
			case "fish":
				return root.GenFishCompletion(w, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(w)
			}
			return invalidf("unknown shell %q", args[0]).WithHint("bash, zsh, fish or powershell")
		},
	}
}
