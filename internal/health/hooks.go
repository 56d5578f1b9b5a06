package health

import "fmt"

// FewLate is the number of late hooks a day that is normal: after sleep of the machine, or an
// update.
const FewLate = 4

func judgeHooks(f Facts, p Policy, why string) Check {
	h := f.Hooks
	e := Evidence{"late": h.Late, "last": timestamp(h.Last), "hook_within_ms": h.Within.Milliseconds()}
	if h.Late <= FewLate {
		return fine(HooksInTime, why, e)
	}
	within := ""
	if h.Within > 0 {
		within = fmt.Sprintf(", which is %d ms", h.Within.Milliseconds())
	}
	return bad(Warning, Finding{Check: HooksInTime, Reason: "hooks_out_of_time", Why: why, Evidence: e, Confirm: true,
		Message: fmt.Sprintf("In the last 24 hours %d events of agents ran out of the time of hook_within%s, and something was left out; hook.log names them.", h.Late, within),
		Next:    "If the machine is often that busy, give hooks more time: engram config set hook_within 500."})
}
