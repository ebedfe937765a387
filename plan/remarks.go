package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/text"
)

// behindNone reads what follows a word for none: it may not name a phase to wait for.
func (r *resolver) behindNone(self int, ref Ref, rest string) {
	rest = strings.Trim(rest, " ,;:.()（）—–-")
	items := r.splitList(rest)
	if _, out := r.splitException(" " + rest); out != "" {
		items = append(items, r.splitList(out)...) // "none, apart from what phase 2 leaves"
	}
	for _, item := range items {
		e := r.read(item.text)
		r.claimAll(self, e, ref)
		if named := without(e.hits, self); len(named) > 0 {
			r.warn(ref, fmt.Sprintf("%q says that phase %s waits for none, and names phase %s",
				text.Clip(ref.Text, maxQuoted), r.phases[self].Label, r.phases[named[0]].Label),
				"write the phases to wait for, or none")
			return
		}
	}
}

// joined accounts for the word between two entries of a list.
func (r *resolver) joined(ref Ref, item listItem, before, hits []int) {
	with := item.joint
	if first, _, _ := strings.Cut(strings.ToLower(item.text), " "); with == jointAnd &&
		first == "then" {
		with = jointThen
	}
	switch with {
	case jointAnd:
	case jointOr:
		r.warn(ref, fmt.Sprintf("%q gives a choice, and all of its phases are waited for",
			text.Clip(ref.Text, maxQuoted)), "list the phases that have to be complete")
	case jointThen, jointBefore:
		for _, early := range before {
			for _, late := range hits {
				if with == jointBefore {
					r.claim(late, early, false, ref)
				} else {
					r.claim(early, late, false, ref)
				}
			}
		}
	}
}

// readNotes reads what stands in parentheses behind an entry. It is a remark: "3 for the export"
// and "recommended after 1-2" are preferences, "and 3" goes on with the list, and any other phase
// has to come first by the graph.
func (r *resolver) readNotes(self int, ref Ref, item listItem, rel *relation) {
	notes := item.notes
	if onlySoft(notes) && len(rel.hard) > 0 {
		r.warn(ref, fmt.Sprintf("%q is only a preference by its note, and phase %s waits for it",
			text.Clip(item.text+" ("+notes+")", maxQuoted), r.phases[self].Label),
			"take it out of the list, or take the note off")
		return
	}
	before, _, says := strings.Cut(notes, " for ")
	if _, one := r.one(before); hasSoftWord(notes) || (says && one) {
		r.addPreferences(self, notes, rel)
		return
	}
	if notes == "" || len(r.phasesInBrackets(item)) > 0 {
		return
	}
	notes, _ = r.splitException(" " + notes)
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(notes)), " ")
	adds := slices.Contains(additions, first)
	for _, note := range r.splitList(notes) {
		e := r.read(note.text)
		for _, hit := range e.hits {
			switch {
			case slices.Contains(rel.hard, hit):
			case slices.Contains(doubtWords, first) || e.doubt != "" || note.joint == jointOr:
				r.warn(ref, fmt.Sprintf("%q gives a choice, and phase %s is not waited for",
					text.Clip(ref.Text, maxQuoted), r.phases[hit].Label),
					"list the phases that have to be complete")
			case adds:
				rel.hard = append(rel.hard, hit)
				r.warn(ref, fmt.Sprintf("%q names phase %s in parentheses: it is waited for",
					text.Clip(ref.Text, maxQuoted), r.phases[hit].Label),
					"take it out of the parentheses")
			case bareNumber(note.text) || e.remark != "" || strings.ContainsAny(note.text, " #"):
				r.claim(hit, self, false, ref)
			}
		}
		r.claimAll(self, e, ref)
	}
}

// onlySoft reports whether a note says only that its entry is a preference: "(soft)", "(nice to
// have)".
func onlySoft(notes string) bool {
	return hasSoftWord(notes) && !slices.ContainsFunc(strings.Fields(strings.ToLower(notes)),
		func(w string) bool {
			return !slices.Contains(softWords, w) &&
				!slices.Contains([]string{"to", "have", "only", "but", "dependency", "dep"}, w)
		})
}

// withoutHit accounts for an entry that names no phase to wait for.
func (r *resolver) withoutHit(self int, ref Ref, item listItem, e entry, rel *relation) {
	switch {
	case e.quantity != "":
		r.doubtQuantity(self, ref, e.quantity)
	case len(e.aside) > 0:
		r.warnPointer(ref, item, e)
	case e.namesPhase() || e.apart: // "can run in parallel with 2", "blocks 6"
	case r.draft.Other != nil && r.draft.Other(item.text):
		message := fmt.Sprintf("%q is no phase, but something else that the document lists",
			text.Clip(item.text, maxQuoted))
		r.problem("I-NOTE", Info, r.pos, r.width, message, "")
	case r.isDone(item):
		r.doneElsewhere(self, item)
	case len(r.phases) == 1 && r.says == "" && precedes(item.text, r.phases[0].ID):
		r.problem("W-REFERENCE", Warning, r.pos, r.width,
			fmt.Sprintf("%q is outside this plan, which has only phase %s: a run does not wait for it",
				text.Clip(item.written(), maxQuoted), r.phases[0].Label),
			"check that it is complete before the run")
		rel.elsewhere = append(rel.elsewhere, item.text)
	case ref.Sentence && r.describes(ref, item):
		r.problem("I-NOTE", Info, r.pos, r.width, fmt.Sprintf("%q beside the dependency is a remark",
			text.Clip(item.text, maxQuoted)), "")
	case ref.Sentence && !numbered(item.text):
		r.problem("W-REFERENCE", Warning, r.pos, r.width,
			fmt.Sprintf("%q names no phase, and phase %s does not wait for it",
				text.Clip(item.text, maxQuoted), r.phases[self].Label), r.suggest(item))
	case r.isForeign(item.text):
		r.problem("W-REFERENCE", Warning, r.pos, r.width,
			fmt.Sprintf("%q is no phase of this plan, and phase %s does not wait for it",
				text.Clip(item.written(), maxQuoted), r.phases[self].Label),
			"check that it is complete before the run")
		rel.elsewhere = append(rel.elsewhere, item.text)
	default:
		r.unknown(self, item, r.pos, r.width, rel)
	}
}

// precedes reports whether the numbers of a label come before those of an id: those of 1.3 before
// those of 1.4. What has no number precedes nothing.
func precedes(label, id string) bool {
	numbers := func(s string) (list []int) {
		for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < '0' || r > '9' }) {
			n, err := strconv.Atoi(part)
			if err != nil {
				return nil
			}
			list = append(list, n)
		}
		return list
	}
	first := numbers(label)
	return len(first) > 0 && slices.Compare(first, numbers(id)) < 0
}

// numbered reports whether an entry has the form of a phase: a kind word, and a number.
func numbered(text string) bool {
	kind, core := SplitKind(text)
	return kind != "" && core != "" && core[0] >= '0' && core[0] <= '9'
}

// suggest is the advice for an entry that names no phase.
func (r *resolver) suggest(item listItem) string {
	_, core := SplitKind(item.text)
	if near := r.near(core); len(near) > 0 {
		return "did you mean " + enumerate(near) + "?"
	}
	return nameOne
}

// describes reports whether an entry of a sentence goes on with words beside the phase of another
// entry: "audit logging" of "Phase 2 role model and audit logging", and "authz" of "authz and audit
// logs from Phase 1".
func (r *resolver) describes(ref Ref, item listItem) bool {
	if _, core := SplitKind(item.text); ordinal(core) || strings.ContainsAny(core, "0123456789") {
		return false
	}
	return slices.ContainsFunc(r.splitList(ref.Text), func(other listItem) bool {
		e := r.read(other.text)
		if other.off < item.off {
			return e.remark != ""
		}
		return len(e.hits) > 0 && e.led
	})
}

// otherKind reports whether an entry names a phase by the kind word of something else: "Milestone
// 3", where the phases are steps.
func (r *resolver) otherKind(item listItem, e entry) bool {
	kind, core := SplitKind(item.text)
	if kind == "" || len(r.words) == 0 || r.ofKind(kind) || len(e.hits) != 1 || r.isTask(item.text) {
		return false
	}
	first, _, _ := strings.Cut(core, " ")
	key, _ := aliasKey(kind + " " + first)
	return len(r.alias[key]) == 0 && bareNumber(first)
}

// isDone reports whether an entry carries its own mark of being done.
func (r *resolver) isDone(item listItem) bool {
	return r.draft.Done != nil && r.draft.Done(item.written())
}

// doneElsewhere reports an entry that is done, and no phase.
func (r *resolver) doneElsewhere(self int, item listItem) {
	r.problem("W-REFERENCE", Warning, r.pos, r.width,
		fmt.Sprintf("%q is no phase of this plan and is marked as done: phase %s does "+
			"not wait for it", text.Clip(item.written(), maxQuoted), r.phases[self].Label),
		"check that it is complete, or name a phase of this plan")
}

// remarks accounts for the words beside the phases of an entry.
func (r *resolver) remarks(self int, ref Ref, item listItem, e entry) {
	switch {
	case e.quantity != "":
		r.doubtQuantity(self, ref, e.quantity)
	case len(e.aside) > 0:
		r.warnPointer(ref, item, e)
	case e.doubt != "":
		labels := make([]string, len(e.hits))
		for k, hit := range e.hits {
			labels[k] = r.phases[hit].Label
		}
		r.warn(ref, fmt.Sprintf("%q holds %q, which is not understood: phase %s waits for %s",
			text.Clip(item.text, maxQuoted), text.Clip(e.doubt, maxQuoted), r.phases[self].Label,
			text.JoinSome(labels, maxListed)), "write only the phases to wait for")
	case e.remark != "":
		r.problem("I-NOTE", Info, r.pos, r.width,
			fmt.Sprintf("%q beside the dependency is a remark", text.Clip(e.remark, maxQuoted)), "")
	}
}

func (r *resolver) doubtQuantity(self int, ref Ref, quantity string) {
	r.warn(ref, fmt.Sprintf("%q in the dependencies of phase %s is read as a quantity, and orders "+
		"nothing", text.Clip(quantity, maxQuoted), r.phases[self].Label),
		"write a kind word before the number of a phase, as in \"phase 2\"")
}

// maxListed bounds the labels in a message.
const maxListed = 12

func (r *resolver) warnPointer(ref Ref, item listItem, e entry) {
	r.warn(ref, fmt.Sprintf("%q only points to phase %s, which is not waited for",
		text.Clip(item.text, maxQuoted), r.phases[e.aside[0]].Label),
		"write only the phases to wait for")
}
