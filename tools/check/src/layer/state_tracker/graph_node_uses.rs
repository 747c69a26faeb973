//! Graphs: which objects their nodes use.

use std::collections::HashMap;

use crate::layer::state_tracker::tracked_objects::ObjectUse;

#[derive(Clone, Debug)]
struct GraphNodeUse {
    uses: Vec<ObjectUse>,
    /// Whether only a call with this node's handle changes it. The nodes of a child graph, of a clone and of an
    /// updated instance also have other handles, which the layer does not know.
    is_exact: bool,
    /// Whether the instance leaves the node out.
    is_disabled: bool,
}

#[derive(Clone, Debug, Default)]
pub struct GraphNodeTable {
    nodes: HashMap<usize, GraphNodeUse>,
    /// Whether a node orders work in a way that is not seen, such as a function of the host.
    has_unseen_order: bool,
}

impl GraphNodeTable {
    fn uses(&self) -> impl Iterator<Item = ObjectUse> {
        self.nodes.values().filter(|node| !node.is_disabled).flat_map(|node| &node.uses).copied()
    }

    /// Records that a node is changed or destroyed. An unknown handle may be that of any node whose handle is not
    /// known.
    fn forget_node_use(&mut self, node: usize) {
        if self.nodes.remove(&node).is_none() {
            self.nodes.retain(|_, node| node.is_exact);
        }
    }
}

/// An owner of nodes: a graph that the program created or captured, or an instance of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeOwner {
    Graph(usize),
    Instance(usize),
}

#[derive(Default)]
pub struct GraphTable {
    all: HashMap<NodeOwner, GraphNodeTable>,
}

impl GraphTable {
    pub fn add_graph(&mut self, graph: usize) {
        self.all.insert(NodeOwner::Graph(graph), GraphNodeTable::default());
    }

    /// Ends a graph or an instance, and returns what `restore_graph_nodes` takes back.
    pub fn remove_graph_nodes(&mut self, of: NodeOwner) -> Option<GraphNodeTable> {
        self.all.remove(&of)
    }

    pub fn restore_graph_nodes(&mut self, of: NodeOwner, nodes: Option<GraphNodeTable>) {
        if let Some(nodes) = nodes {
            self.all.insert(of, nodes);
        }
    }

    /// Records that a graph or an instance uses the objects of another graph's nodes. The nodes of an instance have the
    /// handles of the graph that it was instantiated from; the nodes of a clone or of an updated instance have others.
    pub fn copy_nodes(&mut self, graph: usize, to: NodeOwner, is_exact: bool) {
        let mut nodes = self.all.get(&NodeOwner::Graph(graph)).cloned().unwrap_or_default();
        for node in nodes.nodes.values_mut() {
            node.is_exact &= is_exact;
        }
        self.all.insert(to, nodes);
    }

    pub fn uses_of_graph(&self, of: NodeOwner) -> Vec<ObjectUse> {
        self.all.get(&of).into_iter().flat_map(GraphNodeTable::uses).collect()
    }

    /// Records that a node of this graph orders work in a way that the check does not see.
    pub fn mark_order_unseen(&mut self, of: Option<NodeOwner>) {
        match of {
            Some(of) => self.all.entry(of).or_default().has_unseen_order = true,
            None => self.all.values_mut().for_each(|nodes| nodes.has_unseen_order = true),
        }
    }

    /// Returns whether a graph or an instance may order work in ways that the check does not see. An instance of an
    /// unknown graph may.
    pub fn has_unseen_order(&self, of: NodeOwner) -> bool {
        self.all.get(&of).is_none_or(|nodes| nodes.has_unseen_order)
    }

    /// Records that a node uses these objects. `None` represents the graph that contains the node.
    pub fn set_node(&mut self, of: Option<NodeOwner>, node: usize, uses: Vec<ObjectUse>, is_exact: bool) {
        // The graph in a conditional node is not known.
        let Some(nodes) = self.nodes_with(of, node) else { return };
        nodes.forget_node_use(node);
        nodes.nodes.insert(node, GraphNodeUse { uses, is_exact, is_disabled: false });
    }

    /// Records whether an instance leaves a node out.
    pub fn enable_node(&mut self, instance: usize, node: usize, is_enabled: bool) {
        let Some(nodes) = self.all.get_mut(&NodeOwner::Instance(instance)) else { return };
        if let Some(node) = nodes.nodes.get_mut(&node) {
            node.is_disabled = !is_enabled;
        } else if !is_enabled {
            nodes.forget_node_use(node);
        }
    }

    pub fn forget_node(&mut self, of: Option<NodeOwner>, node: usize) {
        if let Some(nodes) = self.nodes_with(of, node) {
            nodes.forget_node_use(node);
        }
    }

    fn nodes_with(&mut self, of: Option<NodeOwner>, node: usize) -> Option<&mut GraphNodeTable> {
        if let Some(of) = of {
            return self.all.get_mut(&of);
        }
        let mut graphs: Vec<_> =
            self.all.iter_mut().filter(|(of, _)| matches!(of, NodeOwner::Graph(_))).collect();
        if !graphs.iter().any(|(_, nodes)| nodes.nodes.contains_key(&node)) {
            for (_, nodes) in &mut graphs {
                nodes.forget_node_use(node);
            }
        }
        graphs.into_iter().map(|(_, nodes)| nodes).find(|nodes| nodes.nodes.contains_key(&node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(objects: &[u32]) -> Vec<ObjectUse> {
        objects.iter().map(|object| ObjectUse::of_memory(*object, None)).collect()
    }

    #[test]
    fn a_node_that_is_not_known_may_be_any_of_a_copy() {
        let mut graphs = GraphTable::default();
        for graph in [1, 2] {
            graphs.add_graph(graph);
            graphs.set_node(Some(NodeOwner::Graph(graph)), 10 * graph, uses(&[graph as u32]), true);
        }
        graphs.copy_nodes(1, NodeOwner::Instance(100), true);
        assert_eq!(graphs.uses_of_graph(NodeOwner::Instance(100)), uses(&[1]));
        for is_enabled in [false, true] {
            graphs.enable_node(100, 10, is_enabled);
            assert_eq!(graphs.uses_of_graph(NodeOwner::Instance(100)).len(), is_enabled.into());
        }
        graphs.copy_nodes(2, NodeOwner::Instance(100), false);
        assert_eq!(graphs.uses_of_graph(NodeOwner::Instance(100)), uses(&[2]));
        // The call names the node of the first graph, which represents the node of the second graph.
        graphs.set_node(Some(NodeOwner::Instance(100)), 10, uses(&[3]), true);
        assert_eq!(graphs.uses_of_graph(NodeOwner::Instance(100)), uses(&[3]));
        graphs.copy_nodes(1, NodeOwner::Graph(3), false);
        graphs.set_node(None, 30, uses(&[4]), true);
        assert_eq!(
            (graphs.uses_of_graph(NodeOwner::Graph(3)), graphs.uses_of_graph(NodeOwner::Graph(1))),
            (vec![], uses(&[1]))
        );
    }
}
