//! Graphs: which objects their nodes use.

use std::collections::{HashMap, HashSet};

use crate::layer::state_tracker::tracked_objects::Use;

/// The objects that a node uses.
#[derive(Clone, Debug)]
struct Node {
    uses: Vec<Use>,
    /// Whether only a call with this node's handle changes it. The nodes of a child graph, of a clone and of an
    /// updated instance also have other handles, which the layer does not know.
    is_exact: bool,
    /// In an instance that leaves it out.
    is_disabled: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Nodes(HashMap<usize, Node>);

impl Nodes {
    fn uses(&self) -> impl Iterator<Item = Use> {
        self.0.values().filter(|node| !node.is_disabled).flat_map(|node| &node.uses).copied()
    }

    /// A node is changed or destroyed. An unknown node may be any of those whose handles are not known.
    fn forget(&mut self, node: usize) {
        if self.0.remove(&node).is_none() {
            self.0.retain(|_, node| node.is_exact);
        }
    }
}

/// An owner of nodes: a graph that the program created or captured, or an instance of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    Graph(usize),
    Instance(usize),
}

#[derive(Default)]
pub struct Graphs {
    all: HashMap<Owner, Nodes>,
    /// The objects that any node ever used. For other objects, the nodes need not be searched.
    ever_used: HashSet<u32>,
}

impl Graphs {
    /// A graph that uses an object.
    pub fn using(&self, number: u32) -> Option<String> {
        if !self.ever_used.contains(&number) {
            return None;
        }
        let uses = |(_, nodes): &(&Owner, &Nodes)| nodes.uses().any(|used| used.object == number);
        Some(match self.all.iter().filter(uses).map(|(of, _)| of).min()? {
            Owner::Graph(graph) => format!("Graph {graph:#x}"),
            Owner::Instance(instance) => format!("Instantiated graph {instance:#x}"),
        })
    }

    pub fn created(&mut self, graph: usize) {
        self.all.insert(Owner::Graph(graph), Nodes::default());
    }

    /// Ends a graph or an instance, and returns what `restored` takes back.
    pub fn ended(&mut self, of: Owner) -> Option<Nodes> {
        self.all.remove(&of)
    }

    pub fn restored(&mut self, of: Owner, nodes: Option<Nodes>) {
        if let Some(nodes) = nodes {
            self.all.insert(of, nodes);
        }
    }

    /// From now on a graph or an instance uses the objects of another graph's nodes. The nodes of an instance have the
    /// handles of the graph that it was instantiated from; the nodes of a clone or of an updated instance have others.
    pub fn copied(&mut self, graph: usize, to: Owner, is_exact: bool) {
        let mut nodes = self.all.get(&Owner::Graph(graph)).cloned().unwrap_or_default();
        for node in nodes.0.values_mut() {
            node.is_exact &= is_exact;
        }
        self.all.insert(to, nodes);
    }

    /// Returns the objects that the nodes use.
    pub fn uses_of(&self, of: Owner) -> Vec<Use> {
        self.all.get(&of).into_iter().flat_map(Nodes::uses).collect()
    }

    /// A node uses these objects from now on. None stands for the graph that has the node.
    pub fn set(&mut self, of: Option<Owner>, node: usize, uses: Vec<Use>, is_exact: bool) {
        // The graph in a conditional node is not known: it ends with its parent.
        self.ever_used.extend(uses.iter().map(|used| used.object));
        let Some(nodes) = self.nodes_with(of, node) else { return };
        nodes.forget(node);
        nodes.0.insert(node, Node { uses, is_exact, is_disabled: false });
    }

    /// A node of an instance is left out from now on, or not any more.
    pub fn enable(&mut self, instance: usize, node: usize, is_enabled: bool) {
        let Some(nodes) = self.all.get_mut(&Owner::Instance(instance)) else { return };
        if let Some(node) = nodes.0.get_mut(&node) {
            node.is_disabled = !is_enabled;
        } else if !is_enabled {
            nodes.forget(node);
        }
    }

    /// Forgets what is known of a node.
    pub fn forget(&mut self, of: Option<Owner>, node: usize) {
        if let Some(nodes) = self.nodes_with(of, node) {
            nodes.forget(node);
        }
    }

    fn nodes_with(&mut self, of: Option<Owner>, node: usize) -> Option<&mut Nodes> {
        if let Some(of) = of {
            return self.all.get_mut(&of);
        }
        let mut graphs: Vec<_> =
            self.all.iter_mut().filter(|(of, _)| matches!(of, Owner::Graph(_))).collect();
        if !graphs.iter().any(|(_, nodes)| nodes.0.contains_key(&node)) {
            for (_, nodes) in &mut graphs {
                nodes.forget(node);
            }
        }
        graphs.into_iter().map(|(_, nodes)| nodes).find(|nodes| nodes.0.contains_key(&node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(objects: &[u32]) -> Vec<Use> {
        objects.iter().map(|object| Use::of_memory(*object, None)).collect()
    }

    #[test]
    fn a_node_that_is_not_known_may_be_any_of_a_copy() {
        let mut graphs = Graphs::default();
        for graph in [1, 2] {
            graphs.created(graph);
            graphs.set(Some(Owner::Graph(graph)), 10 * graph, uses(&[graph as u32]), true);
        }
        graphs.copied(1, Owner::Instance(100), true);
        assert_eq!(graphs.uses_of(Owner::Instance(100)), uses(&[1]));
        for is_enabled in [false, true] {
            graphs.enable(100, 10, is_enabled);
            assert_eq!(graphs.uses_of(Owner::Instance(100)).len(), is_enabled.into());
        }
        graphs.copied(2, Owner::Instance(100), false);
        assert_eq!(graphs.uses_of(Owner::Instance(100)), uses(&[2]));
        // The call names the node of the first graph, which stands for the node of the second graph.
        graphs.set(Some(Owner::Instance(100)), 10, uses(&[3]), true);
        assert_eq!(graphs.uses_of(Owner::Instance(100)), uses(&[3]));
        graphs.copied(1, Owner::Graph(3), false);
        graphs.set(None, 30, uses(&[4]), true);
        assert_eq!((graphs.uses_of(Owner::Graph(3)), graphs.uses_of(Owner::Graph(1))), (vec![], uses(&[1])));
    }
}
