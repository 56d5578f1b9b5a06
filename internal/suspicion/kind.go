package suspicion

// kinds finds orders by what they are about, in whatever words and order of words: each kind is
// some notions that have no business together in what an engineer notes down. An imperative
// alone is no kind, nor is an address, nor the name of a secret.
func kinds(t sentences, found *findings) {
	for i := range t.begins {
		if !possible(t.means[i]) {
			continue
		}
		for c := range t.of(i).scenes {
			if from, to, ok := lookalikes(c); ok && !c.reported(from) {
				found.add(Order, "a package name imitates a known one", c.tokens[from].from, c.tokens[to].to)
			}
			for _, k := range kindRules {
				if !k.in(c) {
					continue
				}
				from, to, ok := c.span(k.all)
				if !ok || k.also != nil && !k.also(c) || c.reported(from) || c.cited(from) {
					continue
				}
				found.add(k.code, k.why, c.tokens[from].from, c.tokens[to].to)
			}
		}
	}
}

// possible reports a sentence with words of which some kind may be made. It says no only where
// none can, and most sentences are done with it.
func possible(means notion) bool {
	if means&(negates|lacks) != 0 {
		means |= untold | unasked
	}
	if means&apart != 0 {
		means |= toLift | toOmit | keys
	}
	if means&toUse != 0 {
		return true // a package may be called nearly as a known one
	}
	for _, k := range kindRules {
		if holds(means, k.all) {
			return true
		}
	}
	return false
}

// holds reports that notions has one at least of each set.
func holds(has notion, sets []notion) bool {
	for _, set := range sets {
		if has&set == 0 {
			return false
		}
	}
	return true
}

// kind is one kind of order.
type kind struct {
	code Code
	why  string
	all  []notion // of each of these sets one notion at least
	none notion   // what makes it an ordinary note
	also func(c scene) bool
}

func (k kind) in(c scene) bool {
	return c.has&k.none == 0 && holds(c.has, k.all)
}

var kindRules = []kind{
	// Secrets and what is said leave the house.
	{code: Exfil, why: "asks to put secrets where others can read them", all: []notion{keys, toSend | toPut | toShow | toFetch, outside | shared}, also: scene.leaves},
	{code: Exfil, why: "asks to put environment variables where others can read them", all: []notion{environ, vars, toSend | toPut, outside | shared}},
	{code: Exfil, why: "asks to copy a secret where others can read it", all: []notion{aKey | keys, toSend | toPut, shared, theYou | theAgent | each}, none: limits, also: scene.leaves},
	{code: Exfil, why: "asks to commit a file with secrets", all: []notion{keys, toPut | toSend, pushes}, also: scene.pushesSecrets},
	{code: Exfil, why: "asks to mail a secret", all: []notion{aKey, toSend, outside}, also: scene.toMail},
	{code: Exfil, why: "asks to request a secret from the user and pass it on", all: []notion{toAsk, thePerson, toSend | toPut | pushes | outside}, also: scene.asksForSecrets},
	{code: Exfil, why: "asks an agent to show secrets", all: []notion{theAgent, toShow | toSend, keys}},
	{code: Exfil, why: "asks to reveal secrets in an answer", all: []notion{keys, toShow | toPut, summary, theYou}},
	{code: Exfil, why: "asks to spell out a secret in disguise", all: []notion{keys | aKey, toShow | toPut | toSend}, also: scene.spelt},
	{code: Exfil, why: "asks an agent to show its instructions", all: []notion{theAgent, toShow, urges}, also: scene.showsItself},
	{code: Exfil, why: "asks to copy every mail to somebody else", all: []notion{toPut, outside}, also: scene.copiesMail},
	{code: Exfil, why: "asks to send the conversation to an address", all: []notion{talks, toSend, outside}},
	{code: Exfil, why: "asks an agent to send its work to an address", all: []notion{works | talks, toSend, stranger, theAgent | theYou}},

	// What comes from elsewhere is run.
	{code: Order, why: "asks to run or obey content from a URL", all: []notion{stranger}, also: scene.runsWhatComes},
	{code: Order, why: "makes an agent take its rules from a URL", all: []notion{theAgent, toFetch | toObey, stranger}, also: scene.rulesFromThere},
	{code: Order, why: "a standing instruction calls an anonymous address", all: []notion{each | session1, toRun | toFetch | toSend, bare}, none: limits},
	{code: Order, why: "a standing instruction runs a file that anybody can write", all: []notion{each | session1, toRun | toUse | toObey, fleeting}},
	{code: Order, why: "is triggered by a keyword", all: []notion{uttered, toRun | toFetch | toSend | toWipe | pushes}, also: scene.waitsForWord},
	{code: Order, why: "is triggered by being read", all: []notion{theYou, acts}, also: scene.whenRead},
	{code: Order, why: "asks to install packages from an unknown address", all: []notion{feed, stranger}, also: scene.takesPackages},
	{code: Order, why: "asks to install packages from an unknown address", all: []notion{toPut | toUse, each | wide, stranger}, also: scene.addsPackage},
	{code: Order, why: "asks to install packages over an insecure connection or from an IP address", all: []notion{toUse, bare}, also: scene.installs},
	{code: Order, why: "asks to take trusted certificates or a proxy from a stranger", all: []notion{toUse | toPut | toFetch, stranger}, none: limits, also: scene.rootsTrust},
	{code: Order, why: "addresses an agent by name and asks it to act elsewhere", all: []notion{theAgent, toRun | toSend | toPut | toWipe | pushes}, also: scene.actsForStranger},
	{code: Order, why: "gives the agent an instruction", all: []notion{theAgent, toWipe | toSend | toLift | toGrant | pushes | toPut | toSteer}, also: scene.asAgent},
	{code: Order, why: "hides an instruction to an agent from readers", all: []notion{theAgent, acts}, also: scene.concealed},
	{code: Order, why: "asks to trust commands of a stranger", all: []notion{actions, stranger}, also: scene.trusts},

	// What protects people is switched off, or nobody is asked.
	{code: Bypass, why: "asks to act without asking", all: []notion{unasked, toRun | toWipe | toLift | toUse | toGrant | pushes | actions}, also: scene.unaskedByAgent},
	{code: Bypass, why: "asks to act without asking", all: []notion{unasked, actions}, also: scene.leaveNeedless},
	{code: Override, why: "asks to obey everything", all: []notion{theAgent | theYou, toObey, unasked}},
	{code: Bypass, why: "claims permission for everything", all: []notion{consents, thePerson | theYou | theAgent, wide | free, actions | works | wide}, also: scene.leaveGiven},
	{code: Bypass, why: "claims permission for an irreversible action", all: []notion{consents, thePerson, actions | toWipe}, also: scene.leaveGiven},
	{code: Bypass, why: "claims permission to disable a safety control", all: []notion{guards}, also: scene.goAhead},
	{code: Bypass, why: "asks to treat marked content as approved", all: []notion{toTreat, wide | each, consents}, also: scene.asApproved},
	{code: Bypass, why: "claims to authorise the agent", all: []notion{theYou, consents}, also: scene.authorises},
	{code: Bypass, why: "asks to disable a safety control", all: []notion{guards, toLift | toWipe}, none: limits, also: scene.lifts},
	{code: Bypass, why: "claims that a safety control is off", all: []notion{guards}, also: scene.allOff},
	{code: Bypass, why: "asks to change an agent's settings so that it no longer asks", all: []notion{setting, toPut | toUse | toGrant | toLift}, none: limits, also: scene.opensSettings},
	{code: Bypass, why: "asks to grant access rights", all: []notion{toGrant | toPut, admin, group}, none: limits, also: scene.asAdmin},
	{code: Bypass, why: "asks to grant access rights", all: []notion{toGrant | toPut, admin, stranger}, none: limits},
	{code: Bypass, why: "asks to publish private data", all: []notion{toGrant, public, works}, also: scene.makesPublic},

	// Who is to be obeyed.
	{code: Override, why: "claims that the agent's rules no longer apply", all: []notion{bounds, voids}, also: scene.declared},
	{code: Override, why: "claims that the agent's rules no longer apply", all: []notion{voids, theYou | theAgent | self}, also: scene.rulesGone},
	{code: Override, why: "claims priority over the rules or the user", all: []notion{outranks, self | bounds}, also: scene.putsAbove},
	{code: Override, why: "asks to treat a text as the user's word", all: []notion{toTreat, thePerson | admin}, also: scene.asWordOf},
	{code: Override, why: "asks to take instructions from somebody else", all: []notion{toTreat | toObey, anyone | limits}, also: scene.takesOrders},
	{code: Override, why: "asks to obey only this text", all: []notion{toObey | toRun, self, limits}, also: scene.onlyThis},
	{code: Override, why: "claims administrator rights for the agent", all: []notion{admin}, also: scene.becomesAdmin},
	{code: Override, why: "asks an agent to ignore its limits", all: []notion{theAgent | theYou, negates}, also: scene.neverRefuses},
	{code: Override, why: "asks an agent to ignore its limits", all: []notion{theAgent | theYou | voids, free}},
	{code: Override, why: "asks an agent to ignore its limits", all: []notion{theAgent, lacks, bounds}, also: scene.lacksBounds},
	{code: Override, why: "asks to obey something other than the user", all: []notion{toObey, thePerson, theAgent | theYou}, also: scene.ratherThanPerson},
	{code: Override, why: "overrides the user's request", all: []notion{thePerson, wants | uttered}, also: scene.setsAsidePerson},

	// What the person is not to know.
	{code: Secrecy, why: "asks not to tell anybody", all: []notion{untold, anyone}, none: aKey | keys},
	{code: Secrecy, why: "asks not to tell the user", all: []notion{untold, thePerson, toSend | toRun | toWipe | pushes | toPut}, also: scene.keepsFromPerson},
	{code: Secrecy, why: "asks not to tell the user", all: []notion{untold, thePerson, theYou, toSend | toRun | toWipe | pushes | toPut}, also: scene.keepsFromThem},
	{code: Secrecy, why: "asks not to mention it", all: []notion{untold, self}},
	{code: Secrecy, why: "asks to keep it secret", all: []notion{anyone}, also: scene.nobodyIsToKnow},
	{code: Secrecy, why: "asks to keep something quiet", all: []notion{silent}, also: scene.keptQuiet},
	{code: Secrecy, why: "asks to remove traces", all: []notion{toWipe | toLift, traces}},
	{code: Secrecy, why: "asks to remove traces", all: []notion{toWipe, self}},
	{code: Secrecy, why: "asks to remove traces", all: []notion{toWipe | toLift, anyone}, also: scene.beforeAudit},
	{code: Secrecy, why: "asks not to mention it", all: []notion{untold, shared, theAgent | keys | aKey}, also: scene.mentionsIt},
	{code: Secrecy, why: "asks to leave something out of reports to the user", all: []notion{toOmit | toLift, summary}, also: scene.leftOut},
	{code: Secrecy, why: "asks to add something unnoticed", all: []notion{silent, toPut | toSend, keys | works | theAgent}, also: scene.unseenByAgent},

	// What the person is told.
	{code: Planted, why: "asks to misreport actions to the user", all: []notion{thePerson, wants, toClaim}, also: scene.answersFor},
	{code: Planted, why: "asks to report a failure as a success", all: []notion{toClaim, green, even}},
	{code: Planted, why: "asks to report a failure as a success", all: []notion{toClaim, green}, also: scene.marksPassed},
	{code: Planted, why: "asks to report a failure as a success", all: []notion{toClaim, green, urges}, also: scene.saysAllPassed},
	{code: Planted, why: "asks to state something regardless of the truth", all: []notion{toClaim, even}, also: scene.saysWhatever},
	{code: Planted, why: "asks to make the user believe something", all: []notion{thePerson, urges}, also: scene.isToBelieve},
	{code: Planted, why: "asks for a biased judgement", all: []notion{toSteer | toClaim, best, urges | each | wants}},
	{code: Planted, why: "answers a confirmation in advance", all: []notion{toClaim}, also: scene.answersBeforehand},
	{code: Planted, why: "asks to call something safe", all: []notion{toClaim}, also: scene.callsSafe},
	{code: Planted, why: "asks to put an address into everything an agent writes", all: []notion{toClaim, stranger, each}, also: scene.answersWith},
}
