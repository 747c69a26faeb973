//! Graphs: which objects their nodes use.

use std::collections::HashMap;

use crate::layer::objects::Use;

/// What a node uses.
#[derive(Clone, Debug)]
struct Node {
    uses: Vec<Use>,
    /// Whether only a call with this node's handle changes it. The nodes of a child graph, of a clone and of an updated
    /// instance have other handles, which are not known.
    is_exact: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Nodes(HashMap<usize, Node>);

impl Nodes {
    fn uses(&self) -> Vec<Use> {
        self.0.values().flat_map(|node| &node.uses).copied().collect()
    }

    /// A copy in which each node has another handle.
    fn copied(&self) -> Self {
        let node = |(handle, node): (&usize, &Node)| (*handle, Node { is_exact: false, ..node.clone() });
        Self(self.0.iter().map(node).collect())
    }

    /// A node is changed or gone. One that is not known may be any of those whose handles are not known.
    fn forget(&mut self, node: usize) {
        if self.0.remove(&node).is_none() {
            self.0.retain(|_, node| node.is_exact);
        }
    }

    fn set(&mut self, node: usize, uses: Vec<Use>, is_exact: bool) {
        self.forget(node);
        self.0.insert(node, Node { uses, is_exact });
    }
}

/// A graph or an instance, or a node of a graph that is not named.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    Graph(usize),
    Instance(usize),
    Unnamed,
}

/// The graphs that the program created or captured, and what was instantiated from them.
#[derive(Default)]
pub struct Graphs {
    graphs: HashMap<usize, Nodes>,
    instances: HashMap<usize, Nodes>,
}

impl Graphs {
    /// A graph that uses an object.
    pub fn using(&self, number: u32) -> Option<String> {
        let uses = |(_, nodes): &(&usize, &Nodes)| nodes.uses().iter().any(|used| used.object == number);
        let graph = self.graphs.iter().find(uses).map(|(graph, _)| format!("Graph {graph:#x}"));
        graph.or_else(|| {
            self.instances.iter().find(uses).map(|(graph, _)| format!("Instantiated graph {graph:#x}"))
        })
    }

    pub fn created(&mut self, graph: usize) {
        self.graphs.insert(graph, Nodes::default());
    }

    /// Ends a graph, and returns what `restored` takes back.
    pub fn destroyed(&mut self, graph: usize) -> Option<Nodes> {
        self.graphs.remove(&graph)
    }

    pub fn restored(&mut self, graph: usize, nodes: Option<Nodes>) {
        nodes.into_iter().for_each(|nodes| _ = self.graphs.insert(graph, nodes));
    }

    pub fn instantiated(&mut self, graph: usize, instance: usize) {
        let nodes = self.graphs.get(&graph).cloned().unwrap_or_default();
        self.instances.insert(instance, nodes);
    }

    /// The instance has what the nodes of another graph have from now on, in the nodes of its own graph.
    pub fn updated(&mut self, instance: usize, graph: usize) {
        let nodes = self.graphs.get(&graph).map(Nodes::copied).unwrap_or_default();
        self.instances.insert(instance, nodes);
    }

    pub fn cloned(&mut self, graph: usize, clone: usize) {
        let nodes = self.graphs.get(&graph).map(Nodes::copied).unwrap_or_default();
        self.graphs.insert(clone, nodes);
    }

    /// What the nodes of a graph use, for a node that has a copy of it.
    pub fn uses_of_graph(&self, graph: usize) -> Vec<Use> {
        self.graphs.get(&graph).map(Nodes::uses).unwrap_or_default()
    }

    /// What the nodes of an instance use.
    pub fn uses_of(&self, instance: usize) -> Vec<Use> {
        self.instances.get(&instance).map(Nodes::uses).unwrap_or_default()
    }

    pub fn instance_destroyed(&mut self, instance: usize) -> Option<Nodes> {
        self.instances.remove(&instance)
    }

    pub fn instance_restored(&mut self, instance: usize, nodes: Option<Nodes>) {
        nodes.into_iter().for_each(|nodes| _ = self.instances.insert(instance, nodes));
    }

    /// A node uses these objects from now on.
    pub fn set(&mut self, of: Of, node: usize, uses: Vec<Use>, is_exact: bool) {
        match of {
            // The graph in a conditional node is not known: it ends with its parent.
            Of::Graph(graph) => self.graphs.get_mut(&graph),
            Of::Instance(instance) => self.instances.get_mut(&instance),
            Of::Unnamed => self.graph_with(node),
        }
        .into_iter()
        .for_each(|nodes| nodes.set(node, uses.clone(), is_exact));
    }

    /// Nothing is known of a node any more.
    pub fn forget(&mut self, of: Of, node: usize) {
        match of {
            Of::Graph(graph) => self.graphs.get_mut(&graph),
            Of::Instance(instance) => self.instances.get_mut(&instance),
            Of::Unnamed => self.graph_with(node),
        }
        .into_iter()
        .for_each(|nodes| nodes.forget(node));
    }

    fn graph_with(&mut self, node: usize) -> Option<&mut Nodes> {
        if !self.graphs.values().any(|nodes| nodes.0.contains_key(&node)) {
            self.graphs.values_mut().for_each(|nodes| nodes.forget(node));
        }
        self.graphs.values_mut().find(|nodes| nodes.0.contains_key(&node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(objects: &[u32]) -> Vec<Use> {
        objects.iter().map(|object| Use::of_memory(*object)).collect()
    }

    #[test]
    fn a_node_that_is_not_known_may_be_any_of_a_copy() {
        let mut graphs = Graphs::default();
        [1, 2].into_iter().for_each(|graph| graphs.created(graph));
        graphs.set(Of::Graph(1), 10, uses(&[1]), true);
        graphs.set(Of::Graph(2), 20, uses(&[2]), true);
        graphs.instantiated(1, 100);
        assert_eq!(graphs.uses_of(100), uses(&[1]));
        graphs.updated(100, 2);
        assert_eq!(graphs.uses_of(100), uses(&[2]));
        // By the first graph's node, which stands for the second one's.
        graphs.set(Of::Instance(100), 10, uses(&[3]), true);
        assert_eq!(graphs.uses_of(100), uses(&[3]));
        graphs.cloned(1, 3);
        graphs.set(Of::Unnamed, 30, uses(&[4]), true);
        assert_eq!((graphs.uses_of_graph(3), graphs.uses_of_graph(1)), (vec![], uses(&[1])));
    }
}
