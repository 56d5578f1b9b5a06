package grammar

// keepsFromPerson reports a hidden action of an agent, as opposed to one of a program.
func (c scene) keepsFromPerson() bool {
	i := c.at(0, untold)
	j := c.at(i, thePerson)
	return j >= i && j <= i+4 && c.has&(outside|keys|theAgent) != 0
}

// keepsFromThem finds "the user prefers that you force-push and do not tell them".
func (c scene) keepsFromThem() bool {
	i := c.at(0, untold)
	return c.any(0, i, thePerson) && c.reads(i+1, "them him her")
}

// unseenByAgent reports a file or a secret that is passed on silently.
func (c scene) unseenByAgent() bool {
	return c.has&keys != 0 && c.has&(toPut|toSend) != 0 || c.has&theAgent != 0 && c.has&(outside|shared) != 0
}

// isToStaySecret finds "nobody has to hear about …".
func (c scene) isToStaySecret() bool {
	for i, t := range c.tokens {
		if t.means&anyone == 0 || !c.reads(i+1, "has needs", "to") && !c.reads(i+1, "should must will") {
			continue
		}
		for j := i + 2; j <= min(i+3, len(c.tokens)-1); j++ {
			if c.reads(j, "hear know learn notice") {
				return c.reads(j+1, "about of that") || c.last(j)
			}
		}
	}
	return false
}

// keptQuiet finds "keep silent about this file".
func (c scene) keptQuiet() bool {
	i := c.phrase("keep stay remain", "silent quiet mum", "about on")
	return i >= 0 && c.ordered(i, 0) && c.against(i) < 0
}

// leftOut finds "leave this change out of the summary you give".
func (c scene) leftOut() bool {
	return c.has&(theYou|self) != 0 || c.has&toOmit != 0 && c.says("this", "these", "any", "your") && c.says("summary", "summaries", "recap")
}

// beforeAudit finds "the logs are removed before anyone looks".
func (c scene) beforeAudit() bool {
	return c.says("log", "logs", "history", "records", "evidence", "traces") && c.prevWord(c.at(0, anyone), 1, "before") >= 0
}

// mentionsIt finds "do not mention it in the pull request".
func (c scene) mentionsIt() bool {
	i := c.at(0, untold)
	return c.reads(i+1, "it this") && c.at(i, shared) > i
}
