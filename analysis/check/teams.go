package check

import "github.com/pandotrace/pando/trace"

// teams are the forks of a process, and what its threads do in teams: a team works from a fork to its join, whichever thread forked.
type teams struct {
	open   int   // forks that are not joined
	forked bool  // there was a fork
	joined int64 // the time of the latest join behind which no fork was open
	held   []Place
	// lost says that more team events were before the first fork than are held, from lostAt on: the tracer records no forks there.
	lost   bool
	lostAt int64
}

// mostEarly is the number of team events before the first fork of a process that wait for it.
const mostEarly = 1024

// teamActions are what kinds mean to teams.
var teamActions = map[trace.Kind]jointKind{
	trace.KindOmpFork: forks, trace.KindThreadFork: forks, trace.KindOmpJoin: joins, trace.KindThreadJoin: joins,
	trace.KindThreadTeamBegin: works, trace.KindThreadTeamEnd: works,
}

// team takes up an event of a fork or of a team. Those of a process are put in order of time.
func (l *lane) team(i int) {
	l.joint.push(&jointEvent{at: l.place(i), kind: teamActions[l.batch.Kinds[i]], lane: l})
}

// takeTeam takes one up, in order of time.
func (c *checker) takeTeam(e *jointEvent) {
	of := c.processOf(e.at.Location)
	t := c.teams[of]
	if t == nil {
		t = &teams{}
		c.teams[of] = t
	}
	if t.forked && len(t.held) > 0 && t.held[0].Time < e.at.Time {
		c.outsideForks(t)
	}
	switch e.kind {
	case forks:
		t.fork(c, e.at.Time)
	case joins:
		if t.open > 0 {
			t.open--
			t.joined = e.at.Time
		}
	case works:
		if t.open == 0 && !(t.forked && t.joined == e.at.Time) {
			t.hold(e.at)
		}
	}
}

// fork opens a fork. What threads did at the same time is inside of it; what they did before, if it is the first one, is not.
func (t *teams) fork(c *checker, now int64) {
	early := t.held[:0]
	for _, at := range t.held {
		if at.Time < now {
			early = append(early, at)
		}
	}
	t.held, t.open, t.forked = early, t.open+1, true
	if t.lost && t.lostAt < now {
		t.held = nil
	}
	t.lost = false
	c.outsideForks(t)
}

// hold keeps an event until a later time shows that no fork came at its own.
func (t *teams) hold(at Place) {
	if !t.forked && len(t.held) == mostEarly {
		if !t.lost {
			t.lost, t.lostAt = true, at.Time
		}
		return
	}
	t.held = append(t.held, at)
}

// outsideForks notes what is held.
func (c *checker) outsideForks(t *teams) {
	for _, at := range t.held {
		c.ledger.add(TeamOutsideFork, unlessCut, at)
	}
	t.held = t.held[:0]
}

// endTeams notes what threads did behind the last forks.
func (c *checker) endTeams() {
	for _, t := range c.teams {
		if t.forked {
			c.outsideForks(t)
		}
	}
}
