package cli

import "github.com/spf13/cobra"

func (p *program) setupCommand() *cobra.Command {
	return group("setup", "Have other programs use this one",
		examples("engram setup service", "engram setup service --now", "engram setup service --undo"),
		p.setupServiceCommand())
}
