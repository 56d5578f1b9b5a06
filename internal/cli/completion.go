package cli

import (
	"github.com/spf13/cobra"
)

func (p *program) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Long:  "Print the completion script of a shell. Load it from the shell's start-up file.",
		Example: examples("source <(engram completion bash)", "engram completion zsh > \"${fpath[1]}/_engram\"",
			"engram completion fish > ~/.config/fish/completions/engram.fish"),
		Args:      between(1, 1),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			root, w := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
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
