package session

import (
	"autobuild/internal/config"
	"autobuild/internal/knowledgefile"
)

func (s *session) knowledge() knowledgefile.File { return knowledgefile.Of(s.Call, s.project) }

// recall loads what earlier failures taught, unless that is turned off.
func (s *session) recall() error {
	s.memory = &knowledgefile.Memory{}
	if s.o.Knowledge.Value == config.KnowledgeOff {
		return nil
	}
	memory, notices, err := s.knowledge().Recall(s.o.Knowledge.Value == config.KnowledgeTrust)
	if err != nil {
		return err
	}
	s.memory, s.begin.Notices = memory, append(s.begin.Notices, notices...)
	return nil
}

// planted lists commands that appeared in the knowledge file during the run, each once.
func (s *session) planted() []string {
	if s.memory == nil || s.o.Knowledge.Value == config.KnowledgeOff {
		return nil
	}
	return s.memory.Planted(s.knowledge())
}
