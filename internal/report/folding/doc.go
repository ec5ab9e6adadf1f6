// Package folding writes folded timelines: rows that stand for the locations of a process, a node, a device, a group. [Question] says what is
// folded, and how; [Question.Text], [Question.Chart] and [Question.JSON] are its answers, [Analysis] its table. What is folded how stands in
// package fold.
package folding
